import type { Random } from '../random.ts'
import type { Canvas } from './canvas.ts'

/** Draws one thing of a category on a canvas of 320 × 240; `random` varies its knobs and proportions. */
export type Drawing = (canvas: Canvas, random: Random) => void

const [BODY, EDGE, DARK, MID, LIGHT] = [150, 112, 24, 190, 240] as const

/** A front panel of a rack unit with its ears and screws. */
function panel(canvas: Canvas, top: number, height: number): void {
  canvas.box(36, top, 248, height, EDGE, 4)
  canvas.box(52, top + 3, 216, height - 6, BODY, 3)
  for (const x of [44, 276]) for (const y of [top + 9, top + height - 9]) canvas.disc(x, y, 3, DARK)
}

function knob(canvas: Canvas, x: number, y: number, radius: number, random: Random): void {
  const angle = random.next() * 4.2 - 3.7
  canvas.disc(x, y, radius, DARK)
  canvas.line(x, y, x + Math.cos(angle) * radius * 0.8, y + Math.sin(angle) * radius * 0.8, 2, LIGHT)
}

/** A needle instrument: a bright window with an arc of ticks. */
function meter(canvas: Canvas, x: number, y: number, width: number, height: number, random: Random): void {
  canvas.box(x - 2, y - 2, width + 4, height + 4, DARK, 4)
  canvas.box(x, y, width, height, LIGHT, 3)
  const swing = (random.next() - 0.5) * width * 0.6
  canvas.line(x + width / 2, y + height - 3, x + width / 2 + swing, y + 6, 1.5, DARK)
}

function cone(canvas: Canvas, x: number, y: number, radius: number): void {
  canvas.disc(x, y, radius, EDGE)
  canvas.disc(x, y, radius * 0.86, DARK)
  canvas.ring(x, y, radius * 0.6, 2, 70)
  canvas.disc(x, y, radius * 0.3, MID)
}

/** What stands for each category. Names are the categories of the vocabulary, to the byte. */
export const drawings: Record<string, Drawing> = {
  Microphones: (canvas, random) => {
    const width = random.between(52, 72)
    canvas.line(160, 150, 160, 214, 7, EDGE)
    canvas.box(110, 210, 100, 8, EDGE, 4)
    canvas.box(160 - width / 2, 92, width, 74, BODY, 10)
    canvas.box(160 - width / 2, 34, width, 66, MID, width / 2.2)
    for (let y = 46; y < 94; y += 7) canvas.line(160 - width / 2 + 9, y, 160 + width / 2 - 9, y, 1.4, EDGE)
    canvas.disc(160, 122, 6, LIGHT)
  },
  'Preamps & Channel Strips': (canvas, random) => {
    const modules = random.between(4, 7)
    for (let i = 0; i < modules; i++) {
      const x = 160 - modules * 17 + i * 34
      canvas.box(x + 1, 44, 32, 150, BODY, 3)
      for (const [y, size] of [
        [66, 9],
        [98, 9],
        [130, 7],
      ] as const)
        knob(canvas, x + 17, y, size, random)
      canvas.box(x + 11, 152, 12, 8, random.chance(0.5) ? LIGHT : EDGE, 2)
      canvas.disc(x + 17, 178, 3, random.chance(0.7) ? LIGHT : DARK)
    }
  },
  'Outboard — Dynamics & EQ': (canvas, random) => {
    panel(canvas, 74, 92)
    meter(canvas, 132, 88, 62, 42, random)
    for (const x of [78, 112, 214, 246]) knob(canvas, x, 112, 13, random)
    for (let x = 136; x < 194; x += 16) canvas.box(x, 142, 10, 9, random.chance(0.4) ? LIGHT : EDGE, 2)
  },
  'Effects & Reverb Units': (canvas, random) => {
    panel(canvas, 84, 72)
    canvas.box(66, 98, 92, 44, DARK, 3)
    for (let i = 0; i < 11; i++) canvas.box(73 + i * 7.4, 134 - random.between(4, 30), 4, 4, LIGHT, 1)
    for (const x of [182, 212, 242]) knob(canvas, x, 110, 11, random)
    for (let x = 176; x < 256; x += 14) canvas.box(x, 133, 9, 7, MID, 2)
  },
  'Mixing Consoles & Summing': (canvas, random) => {
    canvas.box(24, 48, 272, 34, EDGE, 5)
    for (const x of [40, 110, 180, 246]) meter(canvas, x, 55, 34, 20, random)
    canvas.box(24, 86, 272, 110, BODY, 5)
    for (let x = 38; x < 290; x += 16) {
      for (const y of [98, 112, 126]) canvas.disc(x, y, 4, DARK)
      canvas.line(x, 142, x, 186, 2, DARK)
      canvas.box(x - 5, 144 + random.between(0, 34), 10, 8, LIGHT, 2)
    }
  },
  'Recorders & Tape Machines': (canvas, random) => {
    canvas.box(58, 30, 204, 176, BODY, 8)
    const full = random.between(30, 42)
    for (const [x, tape] of [
      [112, full],
      [208, 66 - full],
    ] as const) {
      canvas.disc(x, 88, 46, EDGE)
      canvas.disc(x, 88, tape, DARK)
      for (const turn of [0, 2.1, 4.2]) canvas.disc(x + Math.cos(turn) * 12, 88 + Math.sin(turn) * 12, 6, MID)
      canvas.disc(x, 88, 5, LIGHT)
    }
    canvas.box(124, 146, 72, 26, EDGE, 4)
    for (let x = 92; x < 230; x += 24) canvas.box(x, 182, 16, 10, LIGHT, 3)
  },
  'Interfaces & Converters': (canvas, random) => {
    panel(canvas, 94, 52)
    for (let row = 0; row < 2; row++) {
      for (let i = 0; i < 14; i++) canvas.disc(72 + i * 10, 110 + row * 18, 3, random.chance(0.6) ? LIGHT : EDGE)
    }
    knob(canvas, 242, 120, 15, random)
  },
  'Monitoring & Headphones': (canvas, random) => {
    const tweeter = random.between(11, 16)
    for (const x of [64, 180]) {
      canvas.box(x, 44, 76, 152, BODY, 6)
      cone(canvas, x + 38, 78, tweeter)
      cone(canvas, x + 38, 144, 31)
      canvas.disc(x + 66, 188, 2.5, LIGHT)
    }
  },
  'Guitars & Basses': (canvas, random) => {
    const waist = random.between(30, 36)
    canvas.line(160, 128, 286, 62, 11, EDGE)
    canvas.line(280, 65, 306, 52, 18, MID)
    canvas.disc(86, 158, 46, BODY)
    canvas.disc(134, 134, waist, BODY)
    canvas.line(86, 158, 134, 134, 56, BODY)
    for (const [x, y] of [
      [122, 140],
      [98, 153],
    ] as const)
      canvas.line(x - 6, y - 13, x + 6, y + 13, 8, DARK)
    for (const offset of [-3, 0, 3]) canvas.line(76, 166 + offset, 296, 56 + offset, 0.9, LIGHT)
    canvas.disc(104, 186, 5, LIGHT)
  },
  'Keyboards & Synthesizers': (canvas, random) => {
    canvas.box(26, 76, 268, 112, EDGE, 6)
    for (let x = 46; x < 270; x += 22) knob(canvas, x, 98, 7, random)
    for (let i = 0; i < 18; i++) canvas.box(36 + i * 13.8, 118, 12.6, 62, LIGHT, 2)
    for (let i = 0; i < 17; i++) if (![2, 6].includes(i % 7)) canvas.box(45.5 + i * 13.8, 118, 8, 38, DARK, 1)
  },
  'Drums & Percussion': (canvas, random) => {
    canvas.line(58, 58, 72, 206, 3, EDGE)
    canvas.line(262, 58, 248, 206, 3, EDGE)
    canvas.line(26, 64, 92, 50, 5, LIGHT)
    canvas.line(228, 50, 294, 64, 5, LIGHT)
    for (const x of [112, 174]) canvas.box(x, 72, 46, 40, MID, 7)
    canvas.disc(160, 160, random.between(46, 52), BODY)
    canvas.ring(160, 160, 46, 4, LIGHT)
    canvas.disc(160, 160, 12, EDGE)
    canvas.box(58, 134, 46, 34, MID, 6)
    canvas.box(216, 142, 48, 56, MID, 7)
  },
  'Amplifiers & Cabinets': (canvas, random) => {
    canvas.box(72, 38, 176, 164, EDGE, 8)
    canvas.box(80, 46, 160, 28, LIGHT, 3)
    for (let x = 96; x < 232; x += 19) knob(canvas, x, 60, 6, random)
    canvas.box(80, 82, 160, 112, BODY, 4)
    const speakers = random.chance(0.5) ? [160] : [122, 198]
    for (const x of speakers) cone(canvas, x, 138, speakers.length === 1 ? 46 : 34)
    canvas.box(136, 30, 48, 8, DARK, 4)
  },
  'Computers & Software': (canvas, random) => {
    canvas.box(58, 40, 204, 128, DARK, 8)
    canvas.box(66, 48, 188, 110, EDGE, 3)
    for (let row = 0; row < 6; row++) {
      for (let x = 72; x < 244; ) {
        const width = random.between(12, 46)
        canvas.box(x, 55 + row * 17, Math.min(width, 248 - x), 12, random.pick([BODY, MID, LIGHT]), 2)
        x += width + random.between(2, 16)
      }
    }
    canvas.box(144, 168, 32, 26, EDGE)
    canvas.box(112, 192, 96, 8, MID, 4)
  },
  'Cables, Stands & Accessories': (canvas, random) => {
    const turns = random.between(4, 6)
    for (let i = 0; i < turns; i++) canvas.ring(160, 122, 34 + i * 8, 5, i % 2 ? BODY : EDGE)
    canvas.line(160 + 26 + turns * 8, 122, 280, 196, 5, BODY)
    canvas.line(268, 188, 294, 205, 13, LIGHT)
    canvas.box(152, 122 - 30 - turns * 8, 16, turns * 8 + 6, DARK, 3)
  },
  'Acoustic Treatment & Furniture': (canvas, random) => {
    const columns = random.between(6, 9)
    canvas.box(66, 36, 188, 164, EDGE, 4)
    const cell = 176 / columns
    for (let column = 0; column < columns; column++) {
      for (let row = 0; row < 5; row++) {
        canvas.box(72 + column * cell, 42 + row * 30.6, cell - 3, 28, random.pick([70, 100, BODY, MID, 215]), 2)
      }
    }
  },
  'Other / Uncategorised': (canvas, random) => {
    canvas.box(78, 66, 164, 130, BODY, 6)
    canvas.box(78, 66, 164, 34, MID, 6)
    canvas.box(146, 66, 28, 130, EDGE)
    canvas.box(196, 158, 30, 20, LIGHT, 2)
    for (let x = 200; x < 222; x += random.between(3, 5)) canvas.line(x, 162, x, 173, 1.5, DARK)
  },
}

/** The plate on the back: maker's lines, a serial number one cannot quite read, a bar code. */
export const backPlate: Drawing = (canvas, random) => {
  canvas.box(40, 46, 240, 140, EDGE, 6)
  canvas.box(62, 66, 196, 100, LIGHT, 5)
  for (const [x, y] of [
    [50, 56],
    [270, 56],
    [50, 176],
    [270, 176],
  ] as const)
    canvas.disc(x, y, 4, DARK)
  canvas.box(76, 78, 92, 10, DARK, 2)
  for (let row = 0; row < 3; row++) canvas.box(76, 98 + row * 11, random.between(50, 120), 4, EDGE, 2)
  for (let x = 76; x < 240; ) {
    const width = random.between(1, 4)
    canvas.box(x, 136, width, 22, DARK)
    x += width + random.between(2, 4)
  }
}
