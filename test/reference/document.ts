import { renderPage } from '../../src/docs/reference/page.ts'
import type { ReferenceOptions } from '../../src/docs/reference/parts.ts'

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

const limit = { perSecond: 1, perMinute: 1 }

/** The page of a service, without the service. */
export function pageOf(options: Partial<ReferenceOptions> = {}): string {
  const publicUrl = 'https://api.example.com'
  const rateLimits = { pro: limit, studio: limit, failedPerMinute: 1 }
  const links = { home: '/', docs: '/docs' }
  return renderPage({ publicUrl, docsUrl: `${publicUrl}/docs`, rateLimits, links, ...options }, 'docs/assets/0')
}
