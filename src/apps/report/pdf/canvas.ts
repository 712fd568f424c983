import PDFDocument from 'pdfkit'
import type { Thumbnail } from '../photos.ts'
import { createPrintable, fontFiles, type Weight } from './fonts.ts'
import { broken } from './lines.ts'

/** A4, landscape, in points. */
export const paper = { width: 841.89, height: 595.28, margin: 34 } as const

export const ink = { text: '#1b1b1f', soft: '#55555c', line: '#c9c9d0', band: '#eeeef2' } as const

export type Style = {
  size?: number
  weight?: Weight
  color?: string
  align?: 'left' | 'right'
  /** At most so many lines; more end in an ellipsis. */
  lines?: number
}

/** What was drawn: how many lines, and whether something of the text could not be shown or did not fit. */
export type Drawn = { lines: number; lost: boolean; cut: boolean }

const lineHeight = 1.24

/**
 * The library keeps the glyphs of every word that it has drawn, for as long as there is the document. Without this cache it would
 * take three times as long, so it is emptied with each page.
 */
function forgetWords(document: PDFKit.PDFDocument): void {
  const font: unknown = Reflect.get(document, '_font')
  if (Reflect.has(Object(font), 'layoutCache')) Reflect.set(Object(font), 'layoutCache', Object.create(null))
}

/** Draws on the pages of a PDF document. Nothing is cut off silently: text is wrapped, then shortened with an ellipsis. */
export type Canvas = ReturnType<typeof createCanvas>

export function createCanvas(title: string) {
  const document = new PDFDocument({
    size: [paper.width, paper.height],
    margin: 0,
    autoFirstPage: false,
    lang: 'en-GB',
    displayTitle: true,
    info: { Title: title, Creator: 'Studio Inventory' },
  })
  for (const [name, file] of Object.entries(fontFiles)) document.registerFont(name, file)
  const printable = createPrintable()

  const prepare = (weight: Weight, size: number) => {
    document.font(weight).fontSize(size)
    return (text: string) => document.widthOfString(text)
  }
  const put = (line: string, x: number, y: number) => document.text(line, x, y, { lineBreak: false })

  return {
    document,
    addPage() {
      document.addPage()
      for (const weight of Object.keys(fontFiles)) forgetWords(document.font(weight))
    },

    /** Text in a box of this width, from this top. */
    text(content: string, x: number, y: number, width: number, style: Style = {}): Drawn {
      const { size = 7.5, weight = 'regular', color = ink.text, align = 'left', lines: most = 1 } = style
      const { text, lost } = printable(content)
      const widthOf = prepare(weight, size)
      const { lines, cut } = broken(text, width, most, widthOf)
      document.fillColor(color)
      for (const [index, line] of lines.entries()) {
        const left = align === 'right' ? x + width - widthOf(line) : x
        put(line, left, y + index * size * lineHeight)
      }
      return { lines: lines.length, lost, cut }
    },

    /** A number, to the right; a long one is made smaller, because a shortened one would be another. */
    number(text: string, x: number, y: number, width: number, { size = 7.5, weight = 'regular' }: Style = {}): void {
      const wanted = prepare(weight, size)(text)
      const fitting = wanted > width ? (size * width) / wanted : size
      const widthOf = prepare(weight, fitting)
      document.fillColor(ink.text)
      put(text, x + width - widthOf(text), y + (size - fitting))
    },

    /** A photo in the middle of a square; in its place a frame that says what is the matter. */
    photo(thumbnail: Thumbnail | null, x: number, y: number, edge: number): void {
      if (thumbnail !== null && typeof thumbnail === 'object') {
        document.image(thumbnail.jpeg, x, y, { fit: [edge, edge], align: 'center', valign: 'center' })
        return
      }
      document.rect(x, y, edge, edge).lineWidth(0.5)
      if (thumbnail === null) document.dash(1.5, { space: 1.5 })
      document.stroke(ink.line).undash()
      const words = thumbnail === null ? ['no', 'photo'] : ['photo', thumbnail]
      document.fillColor(ink.soft)
      for (const [index, word] of words.entries()) {
        const widthOf = prepare('regular', 5.5)
        put(word, x + (edge - widthOf(word)) / 2, y + edge / 2 - 7 + index * 7)
      }
    },

    line(y: number, color: string = ink.line): void {
      document
        .moveTo(paper.margin, y)
        .lineTo(paper.width - paper.margin, y)
        .lineWidth(0.5)
        .stroke(color)
    },

    band(y: number, height: number): void {
      document.rect(paper.margin, y, paper.width - 2 * paper.margin, height).fill(ink.band)
    },
  }
}
