/** A string, a punctuation mark or another value of JSON, as written. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Indents JSON as `JSON.stringify` would, but keeps each value as written: 1115.00 stays
 * 1115.00.
 * @param {string} text
 * @returns {string} the text itself if it is not JSON */
export function inLines(text) {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let lines = ''
  let depth = 0
  let opened = false
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(tokens)) {
    if (token === '}' || token === ']') {
      depth -= 1
      lines += (opened ? '' : newLine()) + token
      opened = false
      continue
    }
    if (opened) lines += newLine()
    opened = token === '{' || token === '['
    if (opened) depth += 1
    lines += token === ':' ? ': ' : token === ',' ? `,${newLine()}` : token
  }
  return lines
}

/** Fills an element with a text, and links the strings that are web addresses.
 * @param {Element} place
 * @param {string} text */
export function showWithLinks(place, text) {
  const parts = text.split(/(?<=")(https?:\/\/[^"\\\s]+)(?=")/)
  place.replaceChildren(
    ...parts.map((part, index) => {
      if (index % 2 === 0) return part
      const link = document.createElement('a')
      link.href = part
      link.target = '_blank'
      link.rel = 'noreferrer'
      link.textContent = part
      return link
    }),
  )
}
