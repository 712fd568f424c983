import type { RateQuota } from '../../../../config/config.ts'
import { defaultPageSize, maximumPageSize } from '../../../../http/parameters.ts'
import { problemAnchor } from '../../../../http/problems.ts'
import { type Html, html } from '../../../html.ts'
import { firstAnswer, program } from '../examples.ts'
import type { ReferenceOptions } from '../options.ts'
import { codeBlock, table } from '../parts.ts'

/** From no token to a client that follows changes. */
export function guide(options: ReferenceOptions): Html {
  return html`${firstCall(options)}${paging(options)}${changes(options)}${rateLimits(options)}`
}

function firstCall({ publicUrl, docsUrl }: ReferenceOptions): Html {
  const shell = `export TOKEN='svc_studio_…'
curl -H "Authorization: Bearer $TOKEN" '${publicUrl}/v1/items?per_page=1'`
  return html`<section id="first-call">
<h2>First call</h2>
<ol>
<li><p><strong>Get a token.</strong> An owner or admin of the studio creates it in the app, under API tokens. Whoever runs
this service can do it on the command line:</p>
${codeBlock('Command: create a token', "npx studio-inventory token create --studio 'Northlight Studios' --name 'Accounting'")}
<p>The token is shown once. Keep it like a password: it reads all data of the studio until it is revoked. A lost one is
revoked and replaced.</p></li>
<li><p><strong>Send it</strong> as a bearer token with every request:</p>
${codeBlock('Command: list items', shell)}</li>
<li><p><strong>Read the answer.</strong> A list has its page of results in <code>data</code> and where it stands in
<code>meta</code>. A single resource stands in <code>data</code> itself. <code>_meta</code> is part of every answer and
links to the <a href="#adequacy-disclaimer">disclaimers</a>.</p>
${codeBlock('Answer', firstAnswer(docsUrl), 'first-answer')}</li>
</ol>
<p>No-code tools need nothing else: choose “bearer token” or “API key in a header”, without OAuth, and give the token.</p>
</section>
`
}

function paging({ publicUrl }: ReferenceOptions): Html {
  return html`<section id="paging">
<h2>Page through a list</h2>
<p>A page has ${defaultPageSize} records unless <code>per_page</code> says otherwise; more than ${maximumPageSize} is
capped to ${maximumPageSize}. Read on with <code>page</code> until <code>meta.next_page</code> is null. Nothing found is
an empty list with status 200.</p>
${codeBlock('Program: read every page', program('paging', `${publicUrl}/v1`), 'paging')}
<p>Newest changes come first. A record that changes while you read moves to the front: you may see another one twice, and
the changed one with the next poll. So begin a copy of everything by remembering the <code>updated_at</code> of the first
record, and go on from there as below.</p>
</section>
`
}

function changes({ publicUrl }: ReferenceOptions): Html {
  return html`<section id="changes">
<h2>Follow changes</h2>
<p>Every list takes <code>updated_since</code>, an ISO 8601 timestamp, and gives what was updated at or after it. Ask for
changes every few minutes, for what is new since the newest <code>updated_at</code> you have seen.</p>
<ul>
<li>“At or after” gives the newest record again. A record has changed when its pair (<code>id</code>,
<code>updated_at</code>) is new to you.</li>
<li>Ask from five minutes earlier. A large import appears all at once, a little after the times it carries.</li>
<li><code>updated_at</code> moves when anything shown of the record moves, the valuation included.</li>
<li>An item that is archived is no longer listed; it does not come as a change. Compare ids with a full reading, say, once
a night.</li>
<li>Policies do not show when they were updated, and come and go with their dates: read them whole.</li>
</ul>
${codeBlock('Program: read what has changed', program('changes', `${publicUrl}/v1`), 'changes')}
</section>
`
}

function rateLimits({ rateLimits: { pro, studio } }: ReferenceOptions): Html {
  const { perSecond, perMinute } = studio
  const fields = `RateLimit-Policy: "second";q=${perSecond};w=1, "minute";q=${perMinute};w=60
RateLimit: "second";r=${perSecond - 1};t=1, "minute";r=${perMinute - 1};t=60`
  return html`<section id="rate-limits">
<h2>Rate limits</h2>
<p>Requests are counted for each token, in a second and in a minute.</p>
${table('Requests of one token', ['Plan', 'in a second', 'in a minute'], [quotaRow('Trial, Pro, Pro + Insure', pro), quotaRow('Studio', studio)])}
<p>Every answer to a token says what holds (quota <code>q</code> in a window of <code>w</code> seconds) and what is left
(<code>r</code> requests; the window resets in <code>t</code> seconds):</p>
${codeBlock('Headers', fields)}
<p>Above the limit the answer is <a href="#${problemAnchor('rate_limited')}">429</a>, and <code>Retry-After</code> says in
how many seconds to go on. Many failed authentications from one address are limited too.</p>
</section>
`
}

function quotaRow(plan: string, { perSecond, perMinute }: RateQuota): [string, number, number] {
  return [plan, perSecond, perMinute]
}
