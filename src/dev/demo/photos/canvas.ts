/** A picture in one ink: 0 is the darkest tone and 255 the lightest. Coordinates run from 0,0 at the top left. */
export type Canvas = {
  readonly width: number
  readonly height: number
  readonly tones: Uint8Array
  /** A box given by its corner and size, with rounded corners. */
  box(x: number, y: number, width: number, height: number, tone: number, radius?: number): void
  /** A disc given by its centre. */
  disc(x: number, y: number, radius: number, tone: number): void
  /** A ring: the outline of a disc. */
  ring(x: number, y: number, radius: number, thickness: number, tone: number): void
  /** A straight stroke with round ends. */
  line(x1: number, y1: number, x2: number, y2: number, thickness: number, tone: number): void
}

/** How the drawing is seen: magnified by `scale` around the point that ends up in the middle of the picture. */
export type View = { scale: number; centreX: number; centreY: number }

/**
 * Makes a canvas with a backdrop that brightens towards the middle and a floor to stand on. Edges are smooth: a shape is
 * the distance of a pixel to its outline, and the pixel on the outline is mixed.
 */
export function makeCanvas(width: number, height: number, view: View): Canvas {
  const tones = new Uint8Array(width * height)
  const floor = Math.round(height * 0.78)
  for (let y = 0; y < height; y++) {
    const tone = y < floor ? 34 + Math.round((y / floor) * 40) : 58 - Math.round(((y - floor) / (height - floor)) * 22)
    tones.fill(tone, y * width, (y + 1) * width)
  }
  const { scale } = view
  const toX = (x: number) => (x - view.centreX) * scale + width / 2
  const toY = (y: number) => (y - view.centreY) * scale + height / 2

  /** Paints every pixel of a bounding box as far as `distance` (negative inside, in pixels) says. */
  function paint(left: number, top: number, right: number, bottom: number, tone: number, distance: Distance): void {
    const [fromY, toRow] = [Math.max(0, Math.floor(top - 1)), Math.min(height, Math.ceil(bottom + 1))]
    const [fromX, toColumn] = [Math.max(0, Math.floor(left - 1)), Math.min(width, Math.ceil(right + 1))]
    for (let y = fromY; y < toRow; y++) {
      for (let x = fromX; x < toColumn; x++) {
        const cover = 0.5 - distance(x + 0.5, y + 0.5)
        if (cover <= 0) continue
        const at = y * width + x
        tones[at] = cover >= 1 ? tone : Math.round((tones[at] as number) * (1 - cover) + tone * cover)
      }
    }
  }

  return {
    width,
    height,
    tones,
    box(x, y, boxWidth, boxHeight, tone, radius = 0) {
      const [halfX, halfY, round] = [(boxWidth * scale) / 2, (boxHeight * scale) / 2, radius * scale]
      const [middleX, middleY] = [toX(x) + halfX, toY(y) + halfY]
      paint(middleX - halfX, middleY - halfY, middleX + halfX, middleY + halfY, tone, (px, py) => {
        const outX = Math.abs(px - middleX) - halfX + round
        const outY = Math.abs(py - middleY) - halfY + round
        if (outX <= 0 || outY <= 0) return Math.max(outX, outY) - round
        return Math.sqrt(outX * outX + outY * outY) - round
      })
    },
    disc(x, y, radius, tone) {
      const [middleX, middleY, size] = [toX(x), toY(y), radius * scale]
      paint(middleX - size, middleY - size, middleX + size, middleY + size, tone, (px, py) => {
        return Math.sqrt((px - middleX) ** 2 + (py - middleY) ** 2) - size
      })
    },
    ring(x, y, radius, thickness, tone) {
      const [middleX, middleY, size, half] = [toX(x), toY(y), radius * scale, (thickness * scale) / 2]
      const reach = size + half
      paint(middleX - reach, middleY - reach, middleX + reach, middleY + reach, tone, (px, py) => {
        return Math.abs(Math.sqrt((px - middleX) ** 2 + (py - middleY) ** 2) - size) - half
      })
    },
    line(x1, y1, x2, y2, thickness, tone) {
      const [ax, ay, bx, by, half] = [toX(x1), toY(y1), toX(x2), toY(y2), (thickness * scale) / 2]
      const [dx, dy] = [bx - ax, by - ay]
      const square = dx * dx + dy * dy || 1
      const [left, right] = [Math.min(ax, bx) - half, Math.max(ax, bx) + half]
      paint(left, Math.min(ay, by) - half, right, Math.max(ay, by) + half, tone, (px, py) => {
        const along = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / square))
        return Math.sqrt((px - ax - along * dx) ** 2 + (py - ay - along * dy) ** 2) - half
      })
    },
  }
}

type Distance = (x: number, y: number) => number
