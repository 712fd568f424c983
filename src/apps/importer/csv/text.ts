import { isUtf8 } from 'node:buffer'
import { UnreadableFile } from '../row-errors.ts'

const saveAs = 'save it as "CSV UTF-8" (in Excel: Save as, file type "CSV UTF-8 (comma delimited)")'

/** The first bytes of files that are not text. */
const otherFormats: readonly [string, string, string][] = [
  ['504b0304', 'is a spreadsheet or an archive, not a CSV file', `open it in the spreadsheet program and ${saveAs}`],
  ['d0cf11e0', 'is an Excel workbook, not a CSV file', `open it in Excel and ${saveAs}`],
  ['1f8b', 'is compressed', 'unpack it first'],
  ['25504446', 'is a PDF, not a CSV file', 'export the table from the program that made it'],
]

/** Decodes a file: UTF-8 with or without byte order mark, or UTF-16 with one, as spreadsheets write "Unicode text". The
 * mark is not part of the text. @throws UnreadableFile for every other encoding, naming the line on which it shows */
export async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: ((chunk: Buffer, last: boolean) => string) | undefined
  let buffered: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    if (decoder === undefined) {
      if (buffered.length < 4) continue
      const start = decoderFor(buffered)
      decoder = start.decoder
      buffered = buffered.subarray(start.skip)
    }
    yield decoder(buffered, false)
    buffered = Buffer.alloc(0)
  }
  const { decoder: late, skip } = decoder === undefined ? decoderFor(buffered) : { decoder, skip: 0 }
  yield late(buffered.subarray(skip), true)
}

function decoderFor(head: Buffer) {
  for (const [magic, what, hint] of otherFormats) {
    if (head.toString('hex', 0, 8).startsWith(magic)) throw new UnreadableFile(1, what, hint)
  }
  const mark = head.toString('hex', 0, 3)
  if (mark.startsWith('fffe')) return { decoder: utf16(false), skip: 2 }
  if (mark.startsWith('feff')) return { decoder: utf16(true), skip: 2 }
  return { decoder: utf8(), skip: mark === 'efbbbf' ? 3 : 0 }
}

function utf8() {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  return (chunk: Buffer, last: boolean): string => {
    const bytes = Buffer.concat([rest, chunk])
    const end = last ? bytes.length : startOfLastCharacter(bytes)
    const whole = bytes.subarray(0, end)
    rest = bytes.subarray(end)
    if (!isUtf8(whole) || whole.includes(0)) throw notUtf8(whole, line)
    const text = whole.toString('utf8')
    line += breaksIn(text)
    return text
  }
}

/** Where the last character begins if it may go on in the next chunk: at most three bytes that follow one. */
function startOfLastCharacter(bytes: Buffer): number {
  let at = bytes.length - 1
  for (let back = 0; back < 3 && at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80; back += 1) at -= 1
  return (bytes[at] ?? 0) >= 0xc0 ? at : bytes.length
}

function utf16(bigEndian: boolean) {
  let rest = Buffer.alloc(0)
  let line = 1
  return (chunk: Buffer, last: boolean): string => {
    const bytes = Buffer.concat([rest, chunk])
    let end = bytes.length - (bytes.length % 2)
    const high = end >= 2 ? bytes[bigEndian ? end - 2 : end - 1] : 0
    // The first half of a pair waits for the second.
    if (!last && high !== undefined && high >= 0xd8 && high <= 0xdb) end -= 2
    rest = Buffer.from(bytes.subarray(end))
    const whole = Buffer.from(bytes.subarray(0, end))
    const text = (bigEndian ? whole.swap16() : whole).toString('utf16le')
    if (!text.isWellFormed() || text.includes('\0') || (last && rest.length > 0)) {
      throw new UnreadableFile(line, 'is not the UTF-16 that it begins as', saveAs)
    }
    line += breaksIn(text)
    return text
  }
}

function notUtf8(bytes: Buffer, firstLine: number): UnreadableFile {
  let [line, start] = [firstLine, 0]
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
    if (!isUtf8(bytes.subarray(start, end + 1)) || bytes.subarray(start, end).includes(0)) break
    start = end + 1
    line += 1
  }
  if (bytes.includes(0))
    return new UnreadableFile(line, 'has NUL characters: it is not text, or UTF-16 without its mark', saveAs)
  return new UnreadableFile(line, 'is not in UTF-8, but in another encoding such as Windows-1252', saveAs)
}

function breaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** A line of the file, with its line break. */
export type Line = { number: number; text: string }

/** A longer line is not a line of a table. */
const longestLine = 4 * 1024 * 1024

/** Cuts a text into lines. Line breaks are LF or CRLF, or a lone CR in a file whose first line
 * ends in one (as Excel for Macintosh writes them). @throws UnreadableFile when a line has no end */
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

/** How the first line ends; undefined as long as that cannot be told. */
function lineBreakOf(text: string): '\n' | '\r' | undefined {
  const [cr, lf] = [text.indexOf('\r'), text.indexOf('\n')]
  if (lf >= 0 && (cr < 0 || lf < cr)) return '\n'
  if (cr < 0 || cr === text.length - 1) return undefined
  return text[cr + 1] === '\n' ? '\n' : '\r'
}

export function withoutBreak(text: string): string {
  return text.replace(/\r?\n$|\r$/, '')
}
