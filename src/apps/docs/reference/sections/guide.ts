import type { RateQuota } from '../../../../config/config.ts'
import { defaultPageSize, maximumPageSize } from '../../../../http/parameters.ts'
import { problemAnchor } from '../../../../http/problems.ts'
import { type Html, html } from '../../../html.ts'
import { programFor, syncPrograms, syncSections, walkProgram } from '../../sync/programs.ts'
import { firstAnswer } from '../examples.ts'
import { markdown } from '../markdown.ts'
import type { ReferenceOptions } from '../options.ts'
import { codeBlock, table } from '../parts.ts'

/** From getting a token to a client that keeps a copy. */
export function guide(options: ReferenceOptions): Html {
  return html`${firstCall(options)}${paging(options)}${changes(options)}${rateLimits(options)}`
}

function firstCall({ publicUrl, docsUrl }: ReferenceOptions): Html {
  const shell = `export TOKEN='svc_studio_…'
curl -H "Authorization: Bearer $TOKEN" '${publicUrl}/v1/items?per_page=1'`
  return html`<section id="first-call">
<h2>First call</h2>
<ol>
<li><p><strong>Get a token.</strong> An owner or admin of the studio creates it in the app, under API tokens. The operator of
this service can also create it on the command line:</p>
${codeBlock('Command: create a token', "npx studio-inventory token create --studio 'Northlight Studios' --name 'Accounting'")}
<p>The token is shown once. Treat it like a password: it reads all data of the studio until it is revoked. If it is lost,
revoke it and create another.</p></li>
<li><p><strong>Send it</strong> as a bearer token with every request:</p>
${codeBlock('Command: list items', shell)}</li>
<li><p><strong>Read the answer.</strong> A list has its page of results in <code>data</code> and its position in
<code>meta</code>. A single resource is <code>data</code> itself. <code>_meta</code> is part of every answer and
links to the <a href="#adequacy-disclaimer">disclaimers</a>.</p>
${codeBlock('Answer', firstAnswer(docsUrl), 'first-answer')}</li>
</ol>
<p>No-code tools need nothing else: choose “bearer token” or “API key in a header”, without OAuth, and enter the token.</p>
</section>
`
}

function paging({ publicUrl }: ReferenceOptions): Html {
  const { title, text } = syncSections().paging
  return html`<section id="paging">
<h2>${title}</h2>
<p>A page has ${defaultPageSize} records unless <code>per_page</code> says otherwise; more than ${maximumPageSize} is
capped to ${maximumPageSize}. Without results the
answer is an empty list with status 200. Newest changes come first.</p>
${markdown(text)}${codeBlock('Program: read every page', programFor(walkProgram, `${publicUrl}/v1`), 'walk.js')}
</section>
`
}

function changes({ publicUrl }: ReferenceOptions): Html {
  const { title, text } = syncSections().copy
  return html`<section id="changes">
<h2>${title}</h2>
${markdown(text)}<h3>Programs</h3>
<p>Each updates the file <code>copy.json</code> when it is run, by the steps above.</p>
${Object.values(syncPrograms).map(
  (program) => html`<h4>${program.name}</h4>
${codeBlock(`Program: keep a copy, with ${program.name}`, programFor(program, `${publicUrl}/v1`), program.file)}
`,
)}</section>
`
}

function rateLimits({ rateLimits: { pro, studio } }: ReferenceOptions): Html {
  const { perSecond, perMinute } = studio
  const fields = `RateLimit-Policy: "second";q=${perSecond};w=1, "minute";q=${perMinute};w=60
RateLimit: "second";r=${perSecond - 1};t=1, "minute";r=${perMinute - 1};t=60`
  return html`<section id="rate-limits">
<h2>Rate limits</h2>
<p>Requests are counted for each token, per second and per minute.</p>
${table('Requests of one token', ['Plan', 'per second', 'per minute'], [quotaRow('Trial, Pro, Pro + Insure', pro), quotaRow('Studio', studio)])}
<p>Every answer to a token gives the limits (quota <code>q</code> in a window of <code>w</code> seconds) and what is left
(<code>r</code> requests; the window resets in <code>t</code> seconds):</p>
${codeBlock('Headers', fields)}
<p>Above the limit the answer is <a href="#${problemAnchor('rate_limited')}">429</a>, and <code>Retry-After</code> says
how many seconds to wait. Failed authentications from one address are limited too.</p>
</section>
`
}

function quotaRow(plan: string, { perSecond, perMinute }: RateQuota): [string, number, number] {
  return [plan, perSecond, perMinute]
}
