export const ellipsis = '…'

/**
 * Breaks a text into at most so many lines, at spaces where it can. A text that does not fit ends in an ellipsis.
 *
 * @param widthOf the width of a text, in the unit of `width`
 */
export function broken(
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

/** How many characters of a text make its first line: at least one. */
function lineOf(text: string, width: number, widthOf: (text: string) => number): number {
  if (widthOf(text) <= width) return text.length
  let end = 0
  for (const { index } of text.matchAll(/ |(?<=[-–—/])(?=\S)/g)) {
    if (widthOf(text.slice(0, index)) > width) break
    end = index
  }
  return end > 0 ? end : Math.max(1, longest(text, width, widthOf))
}

/** The longest beginning of a text that fits, in code units; never ends within a character. */
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
