import { UnreadableFile } from '../row-error.ts'

/** A line of the file, with its line break. */
export type Line = { number: number; text: string }

/** A longer line is not a line of a table. */
const longestLine = 4 * 1024 * 1024

/**
 * Cuts a text into lines. Line breaks are LF or CRLF, or a lone CR in a file whose first line ends in one (as Excel for
 * Macintosh writes them).
 *
 * @throws UnreadableFile when a line has no end
 */
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

/** The text of a line without its line break. */
export function withoutBreak(text: string): string {
  return text.replace(/\r?\n$|\r$/, '')
}
