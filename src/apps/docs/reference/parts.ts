import { type Content, type Html, html } from '../../html.ts'

/** A block of code. It can be scrolled with the keyboard; `label` says aloud what it is, `name` finds it in tests. */
export function codeBlock(label: string, text: string, name = ''): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code data-example="${name}">${text}</code></pre>`
}

/** A table with one heading per column; the first cell of a row is its heading. */
export function table(caption: string, columns: readonly Content[], rows: readonly (readonly Content[])[]): Html {
  return html`<div class="table" tabindex="0" role="group" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) => html`
<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}
</tbody>
</table></div>`
}

/** Names and what is to be said of each. */
export function definitions(rows: readonly (readonly [name: Content, text: Content])[]): Html {
  return html`<dl>
${rows.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`)}</dl>`
}
