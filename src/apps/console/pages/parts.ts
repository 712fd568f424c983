import { type Content, type Html, html } from '../../html.ts'

/** What has just happened: read aloud, and where the focus is when the page opens. */
export function said(content: Content): Html {
  return html`<p class="notice" role="status" tabindex="-1" autofocus>${content}</p>`
}

/** A table that scrolls by itself where the window is narrower, and says so. */
export function wideTable(labelledBy: string, table: Html): Html {
  return html`<p class="sideways soft">The table is wider than the window: scroll it sideways.</p>
<div class="wide" role="region" aria-labelledby="${labelledBy}" tabindex="0">
${table}
</div>`
}
