import { type Content, type Html, html } from '../../../html.ts'
import { inline } from '../markdown.ts'
import type { FieldType } from './types.ts'

/** A row of a list of fields or parameters. `where`: what is to be said of it before its type. */
export type Row = { name: string; type: FieldType; where?: string; more?: Content }

/**
 * Fields or parameters with their types and meanings. Each has an anchor: `prefix`, a full stop and its name.
 *
 * @param label what they are, read aloud
 */
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
