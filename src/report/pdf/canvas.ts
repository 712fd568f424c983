import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'
import PDFDocument from 'pdfkit'
import type { Thumbnail } from '../thumbnails.ts'
import { type Box, createStructure } from './structure.ts'

/** A4, landscape, in points. */
export const paper = { width: 841.89, height: 595.28, margin: 34 } as const

export const ink = { text: '#1b1b1f', soft: '#55555c', line: '#c9c9d0', band: '#eeeef2' } as const

type Style = {
  size?: number
  weight?: Weight
  color?: string
  align?: 'left' | 'right'
  /** A text gets this many lines at most. A longer one ends in an ellipsis. */
  lines?: number
}

/** How many lines were drawn, and whether text was lost or cut. */
export type Drawn = { lines: number; lost: boolean; cut: boolean }

const lineHeight = 1.24

/** How many words a font keeps from one page to the next. */
const mostWords = 2_000

/** pdfkit keeps the glyphs of each word for the document's life, and drawing would take three times
 * as long without that cache. Empties it when it is large. */
function forgetWords(document: PDFKit.PDFDocument): void {
  const font: unknown = Reflect.get(document, '_font')
  const words: unknown = Reflect.get(Object(font), 'layoutCache')
  if (Object.keys(Object(words)).length > mostWords) Reflect.set(Object(font), 'layoutCache', Object.create(null))
}

/** Draws on the pages of a PDF. Text that does not fit is wrapped, then ends in an ellipsis. */
export type Canvas = ReturnType<typeof createCanvas>

export function createCanvas(title: string) {
  const document = new PDFDocument({
    size: [paper.width, paper.height],
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en-GB',
    displayTitle: true,
    info: { Title: title, Creator: 'Studio Inventory' },
  })
  for (const [name, file] of Object.entries(fontFiles)) document.registerFont(name, file)
  const printable = createPrintable()
  const structure = createStructure(document)

  const prepare = (weight: Weight, size: number) => {
    document.font(weight).fontSize(size)
    // The words that `put` draws, so that pdfkit lays each out once.
    const space = document.widthOfString(' ')
    return (text: string) => document.widthOfString(`${text} `) - space
  }
  /** Ends each text in a space, which separates it from the next one when somebody copies it. */
  const put = (line: string, x: number, y: number, after = ' ') =>
    document.text(line + after, x, y, { lineBreak: false })

  return {
    document,
    structure,
    addPage() {
      structure.leavePage()
      document.addPage()
      structure.page()
      for (const weight of Object.keys(fontFiles)) forgetWords(document.font(weight))
    },

    /** Draws a text in a box of this width, which begins at this top. */
    text(content: string, x: number, y: number, width: number, style: Style = {}): Drawn {
      const { size = 7.5, weight = 'regular', color = ink.text, align = 'left', lines: most = 1 } = style
      const { text, lost } = printable(content)
      const widthOf = prepare(weight, size)
      const { lines, cut } = breakLines(text, width, most, widthOf)
      document.fillColor(color)
      let end = 0
      for (const [index, line] of lines.entries()) {
        const left = align === 'right' ? x + width - widthOf(line) : x
        end += line.length
        const broke = index < lines.length - 1 && text[end] !== ' '
        put(line, left, y + index * size * lineHeight, broke ? '' : ' ')
        if (text[end] === ' ') end += 1
      }
      return { lines: lines.length, lost, cut }
    },

    /** How many lines a text takes. */
    linesOf(content: string, width: number, { size = 7.5, weight = 'regular', lines = 1 }: Style = {}): number {
      return breakLines(printable(content).text, width, lines, prepare(weight, size)).lines.length
    },

    /** Draws a text that ends in a number, right-aligned. It shrinks to fit, because a number that
     * is cut off would be wrong. */
    number(text: string, x: number, y: number, width: number, style: Style = {}): void {
      const { size = 7.5, weight = 'regular', color = ink.text } = style
      const wanted = prepare(weight, size)(text)
      const fitting = wanted > width ? (size * width) / wanted : size
      const widthOf = prepare(weight, fitting)
      document.fillColor(color)
      put(text, x + width - widthOf(text), y + (size - fitting))
    },

    /** A cell with a photo centred in a square, or a frame with the reason why there is none. */
    photo(thumbnail: Thumbnail | null, name: string, x: number, y: number, edge: number): void {
      if (thumbnail !== null && typeof thumbnail === 'object') {
        const box: Box = [x, y, x + edge, y + edge]
        structure.picture(`Photo of ${name}`, box, () => {
          document.image(thumbnail.jpeg, x, y, { fit: [edge, edge], align: 'center', valign: 'center' })
        })
        return
      }
      structure.artifact(() => {
        document.rect(x, y, edge, edge).lineWidth(0.5)
        if (thumbnail === null) document.dash(1.5, { space: 1.5 })
        document.stroke(ink.line).undash()
      })
      const words = thumbnail === null ? ['no', 'photo'] : ['photo', ...thumbnail.split(' ')]
      structure.cell(() => {
        document.fillColor(ink.soft)
        for (const [index, word] of words.entries()) {
          const widthOf = prepare('regular', 5.5)
          put(word, x + (edge - widthOf(word)) / 2, y + edge / 2 - (words.length / 2) * 7 + index * 7)
        }
      })
    },

    line(y: number, color: string = ink.line, from: number = paper.margin, to = paper.width - paper.margin): void {
      structure.artifact(() => document.moveTo(from, y).lineTo(to, y).lineWidth(0.5).stroke(color))
    },

    band(y: number, height: number): void {
      structure.artifact(() => document.rect(paper.margin, y, paper.width - 2 * paper.margin, height).fill(ink.band))
    },
  }
}

export const ellipsis = '…'

/** Breaks a text into at most this many lines, at spaces if possible. A longer text ends in an
 * ellipsis.
 * @param widthOf the width of a text, in the unit of `width` */
export function breakLines(
  text: string,
  width: number,
  maxLines: number,
  widthOf: (text: string) => number,
): { lines: string[]; cut: boolean } {
  const lines: string[] = []
  let rest = text
  while (rest !== '' && lines.length < maxLines) {
    const taken = lineOf(rest, width, widthOf)
    lines.push(rest.slice(0, taken).trimEnd())
    rest = rest.slice(taken).trimStart()
  }
  const cut = rest !== ''
  if (cut) lines[lines.length - 1] = shortened(lines.at(-1) ?? '', width, widthOf)
  return { lines, cut }
}

/** How many characters fit on a text's first line: at least one. */
function lineOf(text: string, width: number, widthOf: (text: string) => number): number {
  if (widthOf(text) <= width) return text.length
  let end = 0
  for (const { index } of text.matchAll(/ |(?<=[-–—/])(?=\S)/g)) {
    if (widthOf(text.slice(0, index)) > width) break
    end = index
  }
  return end > 0 ? end : Math.max(1, longest(text, width, widthOf))
}

/** The longest beginning that fits, in code units. Never splits a character. */
function longest(text: string, width: number, widthOf: (text: string) => number): number {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (widthOf(text.slice(0, middle)) <= width) low = middle
    else high = middle - 1
  }
  return /[\uD800-\uDBFF]/.test(text[low - 1] ?? '') ? low - 1 || 2 : low
}

function shortened(line: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(line + ellipsis) <= width) return line + ellipsis
  return line.slice(0, longest(line, width - widthOf(ellipsis), widthOf)).trimEnd() + ellipsis
}

/** Noto Sans: Latin, Greek and Cyrillic (SIL Open Font License). A PDF embeds only used glyphs. */
const fileOf = (weight: string) => createRequire(import.meta.url).resolve(`@expo-google-fonts/noto-sans/${weight}`)

const fontFiles = {
  regular: fileOf('400Regular/NotoSans_400Regular.ttf'),
  bold: fileOf('600SemiBold/NotoSans_600SemiBold.ttf'),
} as const

type Weight = keyof typeof fontFiles

/** Replaces a character that the font lacks, such as CJK, Arabic or emoji. */
const placeholder = '\uFFFD'

/** The text with composed characters, as the font can show it. `lost` says that a placeholder
 * replaced some. */
type Printable = (text: string) => { text: string; lost: boolean }

function createPrintable(): Printable {
  const font = create(readFileSync(fontFiles.regular)) as Font
  const known = new Map<string, boolean>()
  const has = (char: string) => {
    const answer = known.get(char) ?? font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)
    known.set(char, answer)
    return answer
  }
  return (text) => {
    const composed = text
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .replace(/\p{Cc}|\p{Cf}/gu, '')
      .trim()
    let lost = false
    let result = ''
    for (const char of composed) {
      const shown = has(char)
      lost ||= !shown
      result += shown ? char : placeholder
    }
    return { text: result, lost }
  }
}
