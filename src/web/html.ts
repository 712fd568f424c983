import { html as tag } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Links } from './links.ts'

/** Markup that needs no escaping. Only `html` makes it. */
export type Html = HtmlEscapedString

/** Values that markup may hold: escapes text and numbers, joins lists, drops null and false. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/** Writes markup around content and escapes the content, between tags and in quoted attributes.
 * It is hono's template tag, limited to synchronous content.
 * @example String(html`<p title="${'"'}">${'<b>'}</p>`) // '<p title="&quot;">&lt;b&gt;</p>' */
export const html = tag as (strings: TemplateStringsArray, ...values: readonly Content[]) => Html

/** A block of code that scrolls with the keyboard, and a button that copies it
 * (`browser/copy.js`).
 * @param label a few words, shown above the code
 * @param text the code; markup for parts that a script fills in
 * @param name lets tests find it */
export function codeBlock(label: string, text: Content, name = ''): Html {
  return html`<div class="code"><p class="label">${label}</p>
<button type="button" class="copy" data-copy><span data-said>Copy</span><span class="spoken"> ${label}</span></button>
<span class="spoken" role="status"></span>
<pre tabindex="0" role="group" aria-label="${label}"><code data-example="${name}">${text}</code></pre></div>`
}

const names = { docs: 'Reference', console: 'Console', graphql: 'GraphQL' } as const

/** The current page: one of those that the header links to, or `/`. */
type Here = keyof typeof names | 'home'

/** Makes the header of every page, with links to the other pages. `styles/header.css` has its style.
 * @param here the current page
 * @param icon address of the icon
 * @param own what the page adds at the end */
export function siteHeader(links: Links, here: Here, icon: string, own?: Content): Html {
  const link = (place: keyof typeof names) =>
    links[place] !== undefined &&
    html`<li><a href="${links[place]}"${here === place && html` aria-current="page"`}>${names[place]}</a></li>\n`
  return html`<header class="site">
<a class="brand" href="${links.home}"${here === 'home' && html` aria-current="page"`}><img src="${icon}" alt="" width="28" height="28">Studio Inventory</a>
<nav class="links" aria-label="Pages">
<ul>
${(Object.keys(names) as (keyof typeof names)[]).map(link)}</ul>
</nav>
${own}
</header>`
}
