import { type Html, html } from '../../html.ts'
import { groups } from './sections/endpoints.ts'

/** The sections before the operations and after them: anchor and name. */
const before = [
  ['overview', 'What it is'],
  ['first-call', 'First call'],
  ['paging', 'Page through a list'],
  ['changes', 'Keep a copy'],
  ['rate-limits', 'Rate limits'],
  ['connect', 'Connect a tool'],
  ['endpoints', 'Endpoints'],
] as const
const after = [
  ['answers', 'Answers'],
  ['errors', 'Errors'],
  ['adequacy-disclaimer', 'Disclaimers'],
] as const

/**
 * The contents of the page with a search of it. On a narrow screen it is a popover, which the button of the bar opens, also
 * without scripts; that button also says in which section one is.
 */
export function navigation(): Html {
  return html`<nav class="bar" aria-label="Where you are"><button type="button" popovertarget="contents">Contents</button> <span id="current"></span></nav>
<nav id="contents" popover aria-label="Contents">
<div class="search">
<label for="search" class="spoken">Search this page</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" role="status" class="spoken"></p>
<ul id="results" hidden></ul>
</div>
<div id="all">
${list('Guide', before)}
${groups.map(({ name, operations }) =>
  list(
    name,
    operations.map(({ id, path }) => [id, html`<code>${path}</code>`]),
  ),
)}
${list('In common', after)}
</div>
</nav>`
}

function list(title: string, links: readonly (readonly [anchor: string, name: string | Html])[]): Html {
  return html`<p class="title">${title}</p>
<ul>
${links.map(([anchor, name]) => html`<li><a href="#${anchor}">${name}</a></li>\n`)}</ul>`
}
