import { type ProblemCode, problemAnchor, problemDefinitions } from '../../http/problems.ts'
import { codeBlock, type Html, html } from '../../web/html.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Addresses } from '../openapi/information.ts'
import { problemExamples, whenOf } from '../openapi/responses.ts'
import { fieldsOf } from './described.ts'
import { fieldList, inline, type ReferenceOptions, section } from './parts.ts'

/** Every error, each in its own paragraph. The `type` of a problem links there. */
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
  return html`<div class="error" id="${problemAnchor(code)}">
<h4><a class="anchor" href="#${problemAnchor(code)}"><span class="status">${status}</span> <code>${code}</code> <span class="words">${title}</span></a></h4>
<p>${inline(whenOf[code])}</p>
<p><strong>What to do:</strong> ${advice[code]}</p>
</div>
`
}

/** Errors in the order of their statuses. */
export function byStatus(codes: readonly ProblemCode[]): ProblemCode[] {
  return codes.toSorted((one, other) => problemDefinitions[one].status - problemDefinitions[other].status)
}

/** What to do about each error. */
const advice: Readonly<Record<ProblemCode, Html>> = {
  invalid_parameter: html`Fix the request; sending it again unchanged gives the same response. In a URL the <code>+</code> of an offset
is written <code>%2B</code>; a timestamp that ends in <code>Z</code> avoids this.`,
  bad_request: html`Check the program that writes the HTTP message, and any proxy on the way.`,
  unauthenticated: html`Send the whole token as <code>Authorization: Bearer svc_…</code>, once, without quotes or line breaks. If it
still fails, an owner or admin can see in the console whether it has expired and which IP addresses it allows, and can create
another. Do not keep retrying: failures are counted against your address.`,
  plan_required: html`Ask an owner of the studio to renew the plan. The same token then works again immediately.`,
  not_found: html`Check that the path begins with <code>/v1</code>, without a slash at its end, and that the id comes from a
list. An id that used to work belongs to an archived item: treat it as gone.`,
  removals_expired: html`Read every list again, replace your copy, and continue with its <code>Next-Updated-Since</code>: <a href="#changes">keep a copy</a>.`,
  method_not_allowed: html`Send GET. Nothing can be changed through the API.`,
  request_timeout: html`Send it again on a new connection. If it happens often, check the network and the proxies in between.`,
  uri_too_long: html`Shorten the query. No valid request comes near this length.`,
  rate_limited: html`Wait for the seconds in <code>Retry-After</code>, then continue. To stay below the limit: read pages of 100, slow down
when <code>RateLimit</code> approaches zero, and use one token per program.`,
  header_fields_too_large: html`Omit what the API does not need, most often cookies. It needs <code>Host</code> and
<code>Authorization</code>.`,
  internal_error: html`Try again after a few seconds. If it persists, give support the <code>request_id</code>.`,
  unavailable: html`Wait for the seconds in <code>Retry-After</code> and try again, doubling the wait each time.`,
}

/** A problem, as the service writes it. */
function exampleProblem(addresses: Addresses): string {
  return JSON.stringify(problemExamples(['invalid_parameter'], addresses).invalid_parameter?.value, null, 2)
}
