/** What the tests read out of the markup of the page. */

/** The values of an attribute, in order, entities undone. */
export function attributes(markup: string, name: string): string[] {
  return [...markup.matchAll(new RegExp(`<[^>]*\\s${name}="([^"]*)"`, 'g'))].map((match) => plain(match[1] ?? ''))
}

/** The text of the code marked as an example, with what scripts replace as it is without them. */
export function example(markup: string, name: string): string {
  const match = new RegExp(`<code data-example="${name}">(.*?)</code>`, 's').exec(markup)
  if (match === null) throw new Error(`the page has no example ${name}`)
  return plain((match[1] ?? '').replace(/<[^>]*>/g, ''))
}

/** The markup of the section or error with an id, up to the next one. */
export function partOf(markup: string, id: string): string {
  const start = markup.indexOf(`id="${id}"`)
  if (start < 0) throw new Error(`nothing has the id ${id}`)
  const end = markup.slice(start + 1).search(/<(?:section|div class="error")[^>]*\sid="/)
  return end < 0 ? markup.slice(start) : markup.slice(start, start + 1 + end)
}

/** Without tags, entities undone, spaces joined. */
export function textOf(markup: string): string {
  return plain(markup.replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ')
}

const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

function plain(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (escaped) => characters[escaped] ?? escaped)
}
