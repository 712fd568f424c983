import { longestTarget, maxHeaderBytes, maxHeaders } from '../../../http/message.ts'
import { type ProblemCode, problemAnchor, problemDefinitions } from '../../../http/problems.ts'
import { codeBlock } from '../../code.ts'
import { type Html, html } from '../../html.ts'
import type { Addresses } from '../openapi/addresses.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { problemExamples } from '../openapi/responses.ts'
import { fieldsOf } from './described.ts'
import { fieldList, type ReferenceOptions, section } from './parts.ts'

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

/** Errors in the order of their statuses. */
export function byStatus(codes: readonly ProblemCode[]): ProblemCode[] {
  return codes.toSorted((one, other) => problemDefinitions[one].status - problemDefinitions[other].status)
}

const kibibytes = (bytes: number) => `${bytes / 1024}\u00a0KiB`

/** For each error: when it comes, and what to do about it. */
export const advice: Readonly<Record<ProblemCode, { when: Html; act: Html }>> = {
  invalid_parameter: {
    when: html`A query parameter has an invalid value or is given twice. <code>errors</code> lists each one:
<code>parameter</code>, <code>code</code>, <code>detail</code>, and <code>allowed</code> where there is a list of values.`,
    act: html`Fix the request; sending it again unchanged gives the same answer. In a URL the <code>+</code> of an offset
is written <code>%2B</code>; a timestamp that ends in <code>Z</code> avoids this.`,
  },
  bad_request: {
    when: html`The message is not well-formed HTTP, or does not name its host exactly once. The connection is closed.`,
    act: html`Check what builds the message: a program that writes HTTP by hand, or a proxy in between.`,
  },
  unauthenticated: {
    when: html`The token is missing, malformed, unknown, revoked or expired, or limited to other addresses than that of the
request, or its user is no longer a member of the studio. All of these get the same answer.`,
    act: html`Send the whole token as <code>Authorization: Bearer svc_…</code>, once, without quotes or line breaks. If it
still fails, an owner or admin sees with the token whether it has expired and to which addresses it is limited, and can create
another. Do not keep retrying: failures are counted against your address.`,
  },
  plan_required: {
    when: html`The token is valid, but the studio’s plan does not include API access at the moment: the trial or the paid
period is over.`,
    act: html`Have the plan renewed; an owner of the studio can. The same token then works again at once.`,
  },
  not_found: {
    when: html`This address has nothing that the token may read: the path is unknown, or the id is malformed or
unknown, or belongs to another studio or to an archived item. The answer deliberately does not say which.`,
    act: html`Check that the path begins with <code>/v1</code>, without a slash at its end, and that the id comes from a
list. An id that used to work belongs to an archived item: treat it as gone.`,
  },
  removals_expired: {
    when: html`<code>updated_since</code> of <code>GET /v1/removals</code> is older than the removals that are kept, or is from
before a restore of the database or the failover to another server.`,
    act: html`Read every list again, replace your copy, and go on with the <code>Next-Updated-Since</code> of
that reading: <a href="#changes">keep a copy</a>.`,
  },
  method_not_allowed: {
    when: html`The method is neither GET nor HEAD. The API is read only.`,
    act: html`Send GET. Nothing can be changed through the API.`,
  },
  request_timeout: {
    when: html`The request was not received completely in time. The connection is closed.`,
    act: html`Send it again on a new connection. If it happens often, check the network and the proxies in between.`,
  },
  uri_too_long: {
    when: html`Path and query are longer than ${kibibytes(longestTarget)}.`,
    act: html`Shorten the query. No valid request comes near this length.`,
  },
  rate_limited: {
    when: html`The token has used up its <a href="#rate-limits">limit</a>, or too many authentications have failed from
your address. No data was read.`,
    act: html`Wait for the seconds in <code>Retry-After</code>, then continue. To stay below the limit: read pages of 100, slow down
when <code>RateLimit</code> approaches zero, and use one token per program.`,
  },
  header_fields_too_large: {
    when: html`The headers are more than ${maxHeaders} or larger than ${kibibytes(maxHeaderBytes)}.`,
    act: html`Omit what the API does not need, most often cookies. It needs <code>Host</code> and
<code>Authorization</code>.`,
  },
  internal_error: {
    when: html`Something went wrong on our side.`,
    act: html`Try again after a few seconds. If it persists, give support the <code>request_id</code>.`,
  },
  unavailable: {
    when: html`The service cannot reach its data at the moment, or is too busy.`,
    act: html`Wait for the seconds in <code>Retry-After</code> and try again, doubling the wait each time.`,
  },
}

/** A problem, as the service writes it. */
function exampleProblem(addresses: Addresses): string {
  return JSON.stringify(problemExamples(['invalid_parameter'], addresses).invalid_parameter?.value, null, 2)
}
