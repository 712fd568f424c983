import type { Config } from '../../config/config.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import type { Links } from '../../web/links.ts'
import type { FieldType } from './described.ts'

/** What the page says of one service that differs from another. */
export type ReferenceOptions = Pick<Config, 'publicUrl' | 'docsUrl' | 'rateLimits'> & {
  links: Links
  /** The shell command that starts the command line, where it is another than `npx studio-inventory`. */
  command?: string | undefined
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

/** Panels of which one is shown: radio buttons and a style, without a script. In print all are shown, each below its
 * name, and so they are where there is only one. @param label what is chosen, read aloud @param group name of the
 * radio buttons @throws when there are more panels than the style can hide */
export function tabs(label: string, group: string, panels: readonly { name: string; content: Content }[]): Html {
  if (panels.length === 1) return html`${panels[0]?.content}`
  if (panels.length > mostPanels) throw new Error(`${group} has more panels than styles/operation.css has rules for`)
  return html`<div class="tabs"><fieldset><legend class="spoken">${label}</legend>
${panels.map(({ name }, index) => html`<label><input type="radio" name="${group}" value="${index}" data-name="${name}"${index === 0 && html` checked`}><span>${name}</span></label>`)}
</fieldset>
${panels.map(({ name, content }, index) => html`<div data-panel="${index}" data-title="${name}">${content}</div>`)}</div>`
}

/** A row of a list of fields or parameters. `where`: what is to be said of it before its type. */
export type Row = { name: string; type: FieldType; where?: string; more?: Content }

/** Fields or parameters with their types and meanings. Each has an anchor: `prefix`, a full stop and its name. @param
 * label what they are, read aloud */
export function fieldList(label: string, prefix: string, rows: readonly Row[]): Html {
  return html`<dl class="fields" aria-label="${label}">
${rows.map((row) => fieldRow(`${prefix}.${row.name}`, row))}</dl>`
}

function fieldRow(id: string, { name, type, where, more }: Row): Html {
  const words = [where, type.json, type.kind].filter((word) => word !== undefined && word !== '')
  return html`<div id="${id}"><dt><a href="#${id}"><code>${name}</code></a> <span class="type">${words.join(' · ')}</span></dt>
<dd>${inline(type.meaning)}${more}${type.allowed.length > 0 && allowedValues(type.allowed)}</dd></div>
`
}

function allowedValues(values: readonly string[]): Html {
  return html`<ul class="values" aria-label="Values">${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`
}

/** The Markdown of our own texts as HTML: headings of the third level, paragraphs, lists of one level, bold and code.
 * Nothing else is understood; what is none of these is text. @param prefix the headings have anchors that begin with
 * it */
export function markdown(text: string, prefix: string): Html {
  return html`${text.split(/\n{2,}/).map((part) => block(part, prefix))}`
}

function block(text: string, prefix: string): Html {
  if (text.startsWith('### ')) return subheading(text.slice(4), prefix)
  if (text.startsWith('- ')) return html`<ul>\n${elements(text, /^- /m)}</ul>\n`
  if (text.startsWith('1. ')) return html`<ol>\n${elements(text, /^\d\. /m)}</ol>\n`
  return html`<p>${inline(text)}</p>\n`
}

function subheading(text: string, prefix: string): Html {
  const id = `${prefix}-${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}`
  return html`<h3 id="${id}"><a class="anchor" href="#${id}">${inline(text)}</a></h3>\n`
}

function elements(text: string, mark: RegExp): Html[] {
  const [, ...parts] = text.split(mark)
  return parts.map((part) => html`<li>${inline(part.trim().replace(/\n +/g, '\n'))}</li>\n`)
}

/** Code and bold text within a line. */
export function inline(text: string): Content {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${inline(part.slice(2, -2))}</strong>`
    return part
  })
}
