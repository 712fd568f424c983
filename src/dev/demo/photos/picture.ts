import { randomFrom } from '../random.ts'
import { makeCanvas, type View } from './canvas.ts'
import { backPlate, drawings } from './drawings.ts'
import { encodePng } from './png.ts'

const [WIDTH, HEIGHT] = [320, 240] as const

/** The first picture shows the whole thing, the second comes close, the third shows the plate on its back. */
const views: readonly View[] = [
  { scale: 1, centreX: 160, centreY: 120 },
  { scale: 1.9, centreX: 128, centreY: 104 },
  { scale: 1, centreX: 160, centreY: 120 },
]

/** Each category has its own colour, a step of the colour circle apart. */
function hueOf(category: string): number {
  const place = Object.keys(drawings).indexOf(category)
  return (place * 137.5 + 205) % 360
}

/** One channel (0 red, 8 green, 4 blue) of an HSL colour as a byte; the CSS conversion. */
function channel(offset: number, hue: number, saturation: number, lightness: number): number {
  const place = (offset + hue / 30) % 12
  const amount = saturation * Math.min(lightness, 1 - lightness)
  return Math.round(255 * (lightness - amount * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
}

/** 256 tones of one colour, from a deep shade to a warm near-white. */
function paletteOf(hue: number): Uint8Array {
  const palette = new Uint8Array(768)
  for (let tone = 0; tone < 256; tone++) {
    const light = 0.07 + 0.87 * (tone / 255)
    const saturation = 0.42 - 0.22 * (tone / 255)
    for (const [index, offset] of [0, 8, 4].entries()) {
      palette[tone * 3 + index] = channel(offset, hue, saturation, light)
    }
  }
  return palette
}

/**
 * Draws photo number `place` (0, 1 or 2) of an item: a PNG of 320 × 240, a few kilobytes. The same item gives the same
 * picture.
 */
export async function pictureOf(category: string, itemId: string, place: number): Promise<Buffer> {
  const view = views[place % views.length] as View
  const random = randomFrom(`picture ${itemId}`)
  const hue = hueOf(category) + random.between(-8, 8)
  const drawing = place % views.length === 2 ? backPlate : drawings[category]
  const canvas = makeCanvas(WIDTH, HEIGHT, view)
  drawing?.(canvas, random)
  return encodePng(WIDTH, HEIGHT, canvas.tones, paletteOf((hue + 360) % 360))
}
