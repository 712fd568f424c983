import { prefix } from '../../../../api/operations.ts'
import { defaultPageSize, maximumPageSize } from '../../../../api/parameters.ts'
import type { RateQuota } from '../../../../config/config.ts'
import { problemAnchor } from '../../../../http/problems.ts'
import { codeBlock } from '../../../code.ts'
import { type Html, html } from '../../../html.ts'
import { programFor, syncPrograms, syncSections, walkProgram } from '../../sync/programs.ts'
import { firstCall } from '../examples.ts'
import { markdown } from '../markdown.ts'
import { type IsMoney, wireText } from '../operations/wire.ts'
import type { ReferenceOptions } from '../options.ts'
import { section, table, tabs } from '../parts.ts'

/** From getting a token to a client that keeps a copy. */
export function guide(options: ReferenceOptions, isMoney: IsMoney): Html {
  return html`${first(options, isMoney)}${paging(options)}${changes(options)}${rateLimits(options)}`
}

function first(options: ReferenceOptions, isMoney: IsMoney): Html {
  const { publicUrl, places, command = 'npx studio-inventory' } = options
  const { request, answer } = firstCall(options)
  const app = places.console === undefined ? 'app, under API tokens' : html`<a href="${places.console}">console</a>`
  const shell = html`export TOKEN='<span data-token>svc_studio_…</span>'
curl -H "Authorization: Bearer $TOKEN" \\
  '${publicUrl}${prefix}${request}'`
  const create = `${command} token create \\
  --studio 'Northlight Studios' \\
  --name 'Accounting'`
  const about = html`<ol>
<li><p><strong>Get a token.</strong> An owner or admin of the studio creates it in the ${app}. The operator of
this service can also create it on the command line.</p>
<p>The token is shown once. Treat it like a password: it reads all data of the studio until it is revoked or expires. If it
is lost, revoke it and create another.</p></li>
<li><p><strong>Send it</strong> as a bearer token with every request. <span class="needs-script">On this page, type it into the field at the
top: the samples and the forms then use it. It stays in this page: it is not stored anywhere, and a reload clears it.</span></p></li>
<li><p><strong>Read the answer.</strong> A list has its page of results in <code>data</code> and its position in
<code>meta</code>. A single resource is <code>data</code> itself. <code>_meta</code> is part of every answer and
links to the <a href="#adequacy-disclaimer">disclaimers</a>.</p></li>
</ol>
<p>No-code tools need nothing else: choose “bearer token” or “API key in a header”, without OAuth, and enter the token.</p>`
  return section(
    'first-call',
    'First call',
    about,
    html`${codeBlock('1. Create a token on the command line', create, 'create-token')}
${codeBlock('2. List items', shell)}
${codeBlock('3. The answer', wireText(answer, isMoney), 'first-answer')}`,
  )
}

function paging({ publicUrl }: ReferenceOptions): Html {
  const { title, text } = syncSections().paging
  const about = html`<p>A page has ${defaultPageSize} records unless <code>per_page</code> says otherwise; more than ${maximumPageSize} is
capped to ${maximumPageSize}. Without results the
answer is an empty list with status 200. Newest changes come first.</p>
${markdown(text, 'paging')}`
  const program = codeBlock('Program: read every page', programFor(walkProgram, publicUrl + prefix), 'walk.js')
  return section('paging', title, about, program)
}

function changes({ publicUrl }: ReferenceOptions): Html {
  const { title, text } = syncSections().copy
  const programs = Object.values(syncPrograms).map((program) => ({
    name: program.name,
    content: codeBlock(`Keep a copy, with ${program.name}`, programFor(program, publicUrl + prefix), program.file),
  }))
  const samples = html`<p class="title">Programs</p>
<p>Each updates the file <code>copy.json</code> when it is run, by the steps of this section.</p>
${tabs('Language', 'language-changes', programs)}`
  return section('changes', title, markdown(text, 'changes'), samples)
}

function rateLimits({ rateLimits: { pro, studio } }: ReferenceOptions): Html {
  const { perSecond, perMinute } = studio
  const fields = `RateLimit-Policy: "second";q=${perSecond};w=1, "minute";q=${perMinute};w=60
RateLimit: "second";r=${perSecond - 1};t=1, "minute";r=${perMinute - 1};t=60`
  const about = html`<p>Requests are counted for each token, per second and per minute.</p>
${table('Requests of one token', ['Plan', 'Per second', 'Per minute'], [quotaRow('Trial, Pro, Pro + Insure', pro), quotaRow('Studio', studio)])}
<p>Every answer to a token gives the limits (quota <code>q</code> in a window of <code>w</code> seconds) and what is left
(<code>r</code> requests; the window resets in <code>t</code> seconds).</p>
<p>Above the limit the answer is <a href="#${problemAnchor('rate_limited')}">429</a>, and <code>Retry-After</code> says
how many seconds to wait. Failed authentications from one address are limited too.</p>`
  return section('rate-limits', 'Rate limits', about, codeBlock('Headers of an answer', fields))
}

function quotaRow(plan: string, { perSecond, perMinute }: RateQuota): [string, number, number] {
  return [plan, perSecond, perMinute]
}
