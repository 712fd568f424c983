import { codeBlock } from '../../../code.ts'
import { type Html, html } from '../../../html.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { inline } from '../markdown.ts'
import { fieldList } from '../operations/fields.ts'
import { fieldsOf } from '../operations/types.ts'
import { section } from '../parts.ts'

/** What answers have in common: what is around the data, and the headers. */
export function answers(document: OpenApiDocument): Html {
  const { schemas, headers } = document.components
  const rows = (name: string) => fieldsOf(document, schemas[name] ?? {}).map(([name, type]) => ({ name, type }))
  const about = html`<p>Answers are JSON objects. A list has <code>data</code> (an array), <code>meta</code> and <code>_meta</code>; a single resource
has <code>data</code> and <code>_meta</code>. Amounts of money have two decimals, which a JSON number keeps on the way: read them as decimals, not as
floats, where the last digit matters.</p>
<h3 id="answers-meta"><a class="anchor" href="#answers-meta"><code>meta</code> of a list</a></h3>
${fieldList('Fields of meta', 'meta', rows('Paging'))}
<h3 id="answers-_meta"><a class="anchor" href="#answers-_meta"><code>_meta</code> of every answer</a></h3>
${fieldList('Fields of _meta', '_meta', rows('ResponseMeta'))}
<h3 id="headers"><a class="anchor" href="#headers">Headers</a></h3>
<dl class="fields" aria-label="Headers of answers">
${Object.entries(headers).map(
  ([
    name,
    { description },
  ]) => html`<div id="headers.${name}"><dt><a href="#headers.${name}"><code>${name}</code></a></dt>
<dd>${inline(description)}</dd></div>
`,
)}</dl>`
  const lines = Object.entries(headers).map(([name, { example }]) => `${name}: ${example}`)
  return section('answers', 'Answers', about, codeBlock('Headers, for example', lines.join('\n')))
}
