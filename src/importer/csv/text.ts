import { UnreadableFile } from '../row-errors.ts'

const saveAs = 'save it as "CSV UTF-8" (in Excel: Save as, file type "CSV UTF-8 (comma delimited)")'

const exported = 'export the table from the program that made it, as CSV'

/** The first bytes of files that are not text, in hexadecimal. */
const otherFormats: readonly [string, string, string][] = [
  ['504b0304', 'is a spreadsheet or an archive, not a CSV file', `open it in the spreadsheet program and ${saveAs}`],
  [
    'd0cf11e0',
    'is an old or encrypted Excel workbook, not a CSV file',
    'open it in Excel and save it as XLSX, without a password',
  ],
  ['1f8b', 'is compressed', 'unpack it first'],
  ['25504446', 'is a PDF, not a CSV file', exported],
  // PNG, JPEG, GIF, WebP, HEIC and AVIF.
  [
    '89504e47|ffd8ff|474946383.61|52494646.{8}57454250|.{8}66747970(?:6865|6d69|61766966)',
    'is a picture, not a CSV file',
    exported,
  ],
  ['3c', 'is HTML or XML, not a CSV file', `open it in the spreadsheet program and ${saveAs}`],
]

/** Decodes UTF-8, or UTF-16 with a byte order mark (spreadsheets' "Unicode text"), and omits the mark.
 * @throws UnreadableFile for another encoding, with the line */
export async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: ((chunk: Buffer, last: boolean) => string) | undefined
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (decoder !== undefined) yield decoder(chunk, false)
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < 12) continue
      decoder = decoderFor(head)
      yield decoder(head, false)
    }
  }
  yield decoder === undefined ? decoderFor(head)(head, true) : decoder(Buffer.alloc(0), true)
}

function decoderFor(head: Buffer) {
  const start = head.toString('hex', 0, 12)
  for (const [magic, what, hint] of otherFormats) {
    if (new RegExp(`^(?:${magic})`).test(start)) throw new UnreadableFile(1, what, hint)
  }
  if (/^(?:\ufeff)?\s*[[{]\s*(?:["{[]|$)/.test(head.toString('utf8'))) {
    throw new UnreadableFile(1, 'is JSON, not a CSV file', exported)
  }
  const mark = head.toString('hex', 0, 2)
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  const strict = new TextDecoder(encoding, { fatal: true })
  // The lenient decoder writes U+FFFD at the place where the strict one fails.
  const lenient = new TextDecoder(encoding)
  let line = 1
  return (chunk: Buffer, last: boolean): string => {
    const text = lenient.decode(chunk, { stream: !last })
    const at = text.search(/[\0\ufffd]/)
    if (text.includes('\0') || !accepts(strict, chunk, last)) {
      throw new UnreadableFile(line + breaksIn(text.slice(0, Math.max(at, 0))), wrongText(encoding, text[at]), saveAs)
    }
    line += breaksIn(text)
    return text
  }
}

function accepts(decoder: InstanceType<typeof TextDecoder>, chunk: Buffer, last: boolean): boolean {
  try {
    decoder.decode(chunk, { stream: !last })
    return true
  } catch {
    return false
  }
}

function wrongText(encoding: string, character: string | undefined): string {
  if (encoding !== 'utf-8') return 'is not the UTF-16 that it begins as'
  if (character === '\0') return 'has NUL characters: it is not text, or UTF-16 without its mark'
  return 'is not in UTF-8, but in another encoding such as Windows-1252'
}

function breaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** A line of the file, with its line break. */
export type Line = { number: number; text: string }

/** Longer lines do not belong to a table. */
const longestLine = 4 * 1024 * 1024

/** Cuts a text into lines, at LF or CRLF, or at CR if the first line ends with one (Excel for Macintosh).
 * @throws UnreadableFile when a line has no end */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<Line[]> {
  let rest = ''
  let number = 1
  let lineBreak: '\n' | '\r' | undefined
  for await (const chunk of text) {
    rest += chunk
    lineBreak ??= lineBreakOf(rest)
    const lines: Line[] = []
    let start = 0
    if (lineBreak !== undefined) {
      for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak, start)) {
        lines.push({ number, text: rest.slice(start, end + 1) })
        number += 1
        start = end + 1
      }
    }
    rest = rest.slice(start)
    if (lines.length > 0) yield lines
    if (rest.length > longestLine) {
      throw new UnreadableFile(number, 'is longer than 4 million characters', 'check that the file is a CSV file')
    }
  }
  if (rest !== '') yield [{ number, text: rest }]
}

/** How the first line ends; undefined until that shows. */
function lineBreakOf(text: string): '\n' | '\r' | undefined {
  const [cr, lf] = [text.indexOf('\r'), text.indexOf('\n')]
  if (lf >= 0 && (cr < 0 || lf < cr)) return '\n'
  if (cr < 0 || cr === text.length - 1) return undefined
  return text[cr + 1] === '\n' ? '\n' : '\r'
}

export function withoutBreak(text: string): string {
  return text.replace(/\r?\n$|\r$/, '')
}
