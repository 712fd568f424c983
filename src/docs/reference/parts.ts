import type { Config } from '../../config/config.ts'
import { type Content, type Html, html } from '../../web/html.ts'
import type { Links } from '../../web/links.ts'
import type { FieldType } from './described.ts'

/** What differs in the pages of two services. */
export type ReferenceOptions = Pick<Config, 'publicUrl' | 'docsUrl' | 'rateLimits'> & {
  links: Links
  /** The shell command that starts the command line, if it is not `npx studio-inventory`. */
  command?: string | undefined
  /** The address of this release's source code; undefined: not published. */
  source?: string | undefined
  /** The demo's token, which every reader may use. It sees the records of the examples. */
  demo?: { token: string } | undefined
}

/** A table. The first cell of each row is its heading. */
export function table(caption: string, columns: readonly Content[], rows: readonly (readonly Content[])[]): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) => html`
<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}
</tbody>
</table></div>`
}

/** Names with their descriptions. */
export function definitions(rows: readonly (readonly [name: Content, text: Content])[]): Html {
  return html`<dl>
${rows.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`)}</dl>`
}

/** A heading that links to itself. `id` is the anchor of its part. */
export function heading(level: 2 | 3, id: string, text: Content): Html {
  const content = html`<a class="anchor" href="#${id}">${text}</a>`
  return level === 2 ? html`<h2>${content}</h2>` : html`<h3>${content}</h3>`
}

/** A section with prose, and samples at its side. */
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

/** `styles/operation.css` has a rule for each of this many panels. */
const mostPanels = 6

/** Shows one of several panels with radio buttons and CSS, without a script. On paper it shows all
 * of them, each below its name. A single panel has no name.
 * @param label what the reader chooses, for screen readers
 * @param group name of the radio buttons
 * @throws when there are more panels than the style can hide */
export function tabs(label: string, group: string, panels: readonly { name: string; content: Content }[]): Html {
  if (panels.length === 1) return html`${panels[0]?.content}`
  if (panels.length > mostPanels) throw new Error(`${group} has more panels than styles/operation.css has rules for`)
  return html`<div class="tabs"><fieldset><legend class="spoken">${label}</legend>
${panels.map(({ name }, index) => html`<label><input type="radio" name="${group}" value="${index}" data-name="${name}"${index === 0 && html` checked`}><span>${name}</span></label>`)}
</fieldset>
${panels.map(({ name, content }, index) => html`<div data-panel="${index}" data-title="${name}">${content}</div>`)}</div>`
}

/** A row in a list of fields or parameters. `where` comes before its type. */
export type Row = { name: string; type: FieldType; where?: string; more?: Content }

/** Fields or parameters with types and meanings. Each has an anchor: `prefix`, a full stop and
 * its name.
 * @param label what they are, for screen readers */
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

/** Renders the Markdown of our texts as HTML: third-level headings, paragraphs, flat lists, bold
 * and code. Everything else is text.
 * @param prefix begins the anchors of the headings */
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
