import { longestTarget, maxHeaderBytes, maxHeaders } from '../../../http/message.ts'
import type { ProblemCode } from '../../../http/problems.ts'
import { type Html, html } from '../../html.ts'

const kilobytes = (bytes: number) => `${bytes / 1024} kB`

/** For each error: when it comes, and what to do about it. */
export const advice: Readonly<Record<ProblemCode, { when: Html; act: Html }>> = {
  invalid_parameter: {
    when: html`A query parameter has a value that it cannot have, or is given twice. <code>errors</code> names each one:
<code>parameter</code>, <code>code</code>, <code>detail</code>, and <code>allowed</code> where there is a list of values.`,
    act: html`Fix the request; sending it again unchanged gives the same answer. In a URL the <code>+</code> of an offset
is written <code>%2B</code>; a timestamp that ends in <code>Z</code> avoids the question.`,
  },
  bad_request: {
    when: html`The message is not well-formed HTTP, or does not name its host exactly once. The connection is closed.`,
    act: html`Look at what builds the message: a program that writes HTTP by hand, or a proxy in between.`,
  },
  unauthenticated: {
    when: html`The token is missing, malformed, unknown or revoked, or its user is no longer a member of the studio. All
of these are answered alike.`,
    act: html`Send the whole token as <code>Authorization: Bearer svc_…</code>, once, without quotes or line breaks. If it
still fails, have a new one created. Do not try on: failures are counted against your address.`,
  },
  plan_required: {
    when: html`The token is good, but the studio’s plan does not include API access at the moment: the trial or the paid
period is over.`,
    act: html`An owner of the studio renews the plan. The same token then works again at once.`,
  },
  not_found: {
    when: html`Nothing is at this address for this token: the path is unknown, or the id is malformed, unknown, of another
studio or of an archived item. The causes are deliberately not told apart.`,
    act: html`Check that the path begins with <code>/v1</code>, without a slash at its end, and that the id comes from a
list. An id that used to work belongs to an item that is archived: treat it as gone.`,
  },
  method_not_allowed: {
    when: html`The method is neither GET nor HEAD. The API reads; it does not write.`,
    act: html`Send GET. Changes to the inventory are made in the app.`,
  },
  request_timeout: {
    when: html`The request did not arrive completely in time. The connection is closed.`,
    act: html`Send it again on a new connection. If it happens often, look at the network and the proxies in between.`,
  },
  uri_too_long: {
    when: html`Path and query are longer than ${kilobytes(longestTarget)}.`,
    act: html`Shorten the query. No valid request comes near this length.`,
  },
  rate_limited: {
    when: html`The token has used up its <a href="#rate-limits">limit</a>, or too many authentications have failed from
your address. No data was read.`,
    act: html`Wait for the seconds in <code>Retry-After</code>, then go on. To stay below: read pages of 100, slow down
when <code>RateLimit</code> nears zero, and let one program use one token.`,
  },
  header_fields_too_large: {
    when: html`The headers are more than ${maxHeaders} or larger than ${kilobytes(maxHeaderBytes)}.`,
    act: html`Leave out what the API does not need, most often cookies. It needs <code>Host</code> and
<code>Authorization</code>.`,
  },
  internal_error: {
    when: html`Something went wrong on our side.`,
    act: html`Try again after a few seconds. If it stays, tell support the <code>request_id</code>: it finds the cause.`,
  },
  unavailable: {
    when: html`The service cannot reach its data at the moment, or is too busy.`,
    act: html`Wait for the seconds in <code>Retry-After</code> and try again; then wait twice as long each time.`,
  },
}
