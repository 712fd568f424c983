import { type ProblemCode, problemAnchor, problemDefinitions } from '../../../../http/problems.ts'
import { type Html, html } from '../../../html.ts'
import { advice } from '../advice.ts'
import { exampleProblem } from '../examples.ts'
import type { ReferenceOptions } from '../options.ts'
import { codeBlock } from '../parts.ts'

/** Every error with a paragraph of its own, to which the `type` of the problem leads. */
export function errors({ docsUrl }: ReferenceOptions): Html {
  const codes = Object.keys(problemDefinitions) as ProblemCode[]
  return html`<section id="errors">
<h2>Errors</h2>
<p>Every error is a problem (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>,
<code>application/problem+json</code>). Rely on <code>code</code>, which is stable; <code>type</code> links to its paragraph
below, and support needs the <code>request_id</code>.</p>
${codeBlock('Problem', exampleProblem(docsUrl), 'problem')}
<p>Not errors: an empty list, a <code>per_page</code> that was capped, valuation fields that are null because the valuation
is not available, and empty <code>photo_urls</code>.</p>
<div class="errors">
${codes.map(paragraph)}
</div>
</section>
`
}

function paragraph(code: ProblemCode): Html {
  const { status, title } = problemDefinitions[code]
  const { when, act } = advice[code]
  return html`<div class="error" id="${problemAnchor(code)}">
<h3><span class="status">${status}</span> <code>${code}</code> <span class="title">${title}</span></h3>
<p>${when}</p>
<p><strong>What to do:</strong> ${act}</p>
</div>
`
}
