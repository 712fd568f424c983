import { type Content, type Html, html } from './html.ts'
import type { Links } from './links.ts'

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
