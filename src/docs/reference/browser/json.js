/** A text, a mark or a value of JSON, as it was written. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * JSON in lines, as `JSON.stringify` would indent it, but with every value as it was written: 1115.00 stays 1115.00.
 *
 * @param {string} text
 * @returns {string} the text itself when it is no JSON
 */
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

/**
 * Fills an element with a text, in which strings that are addresses of the web are links.
 *
 * @param {Element} place
 * @param {string} text
 */
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
