import { type Content, type Html, html } from '../../html.ts'

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

/** A heading that links to itself. `id` is that of the part that it is the heading of. */
export function heading(level: 2 | 3, id: string, text: Content): Html {
  const content = html`<a class="anchor" href="#${id}">${text}</a>`
  return level === 2 ? html`<h2>${content}</h2>` : html`<h3>${content}</h3>`
}

/** A section with prose, and what to copy on its side. */
export function section(id: string, title: string, about: Content, samples?: Content): Html {
  return html`<section id="${id}">
<div class="about">
${heading(2, id, title)}
${about}
</div>
${samples && html`<div class="samples">${samples}</div>`}
</section>
`
}

/** How many panels `styles/operation.css` can hide: it has a rule for each. */
const mostPanels = 6

/**
 * Panels of which one is shown: radio buttons and a style, without a script. In print all are shown, each below its name, and so
 * they are where there is only one.
 *
 * @param label what is chosen, read aloud
 * @param group name of the radio buttons
 * @throws when there are more panels than the style can hide
 */
export function tabs(label: string, group: string, panels: readonly { name: string; content: Content }[]): Html {
  if (panels.length === 1) return html`${panels[0]?.content}`
  if (panels.length > mostPanels) throw new Error(`${group} has more panels than styles/operation.css has rules for`)
  return html`<div class="tabs"><fieldset><legend class="spoken">${label}</legend>
${panels.map(({ name }, index) => html`<label><input type="radio" name="${group}" value="${index}" data-name="${name}"${index === 0 && html` checked`}><span>${name}</span></label>`)}
</fieldset>
${panels.map(({ name, content }, index) => html`<div data-panel="${index}" data-title="${name}">${content}</div>`)}</div>`
}
