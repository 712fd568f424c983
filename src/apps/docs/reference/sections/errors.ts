import { type ProblemCode, problemAnchor, problemDefinitions } from '../../../../http/problems.ts'
import { codeBlock } from '../../../code.ts'
import { type Html, html } from '../../../html.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { advice } from '../advice.ts'
import { exampleProblem } from '../examples.ts'
import { fieldList } from '../operations/fields.ts'
import { fieldsOf } from '../operations/types.ts'
import type { ReferenceOptions } from '../options.ts'
import { section } from '../parts.ts'
import { byStatus } from '../problem-order.ts'

/** Every error with a paragraph of its own, to which the `type` of the problem leads. */
export function errors(options: ReferenceOptions, document: OpenApiDocument): Html {
  const codes = byStatus(Object.keys(problemDefinitions) as ProblemCode[])
  const rows = (schema: string) =>
    fieldsOf(document, document.components.schemas[schema] ?? {})
      .filter(([name]) => name !== '_meta')
      .map(([name, type]) => ({ name, type: name === 'code' ? { ...type, allowed: [] } : type }))
  const about = html`<p>Every error is a problem (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>,
<code>application/problem+json</code>). Rely on <code>code</code>, which is stable; <code>type</code> links to its paragraph
below, and support needs the <code>request_id</code>.</p>
<p>Not errors: an empty list, a <code>per_page</code> that was capped, valuation fields that are null because the valuation
is not available, and empty <code>photo_urls</code>.</p>
${fieldList('Fields of a problem', 'problem', rows('Problem'))}
<h3 id="problem-errors"><a class="anchor" href="#problem-errors">Each of <code>errors</code></a></h3>
${fieldList('Fields of each of errors', 'errors', rows('ParameterError'))}
<h3 id="problem-codes"><a class="anchor" href="#problem-codes">Every error</a></h3>
<div>
${codes.map(paragraph)}
</div>`
  return section('errors', 'Errors', about, codeBlock('A problem', exampleProblem(options), 'problem'))
}

function paragraph(code: ProblemCode): Html {
  const { status, title } = problemDefinitions[code]
  const { when, act } = advice[code]
  return html`<div class="error" id="${problemAnchor(code)}">
<h4><a class="anchor" href="#${problemAnchor(code)}"><span class="status">${status}</span> <code>${code}</code> <span class="words">${title}</span></a></h4>
<p>${when}</p>
<p><strong>What to do:</strong> ${act}</p>
</div>
`
}
