import { defaultPageSize, maximumPageSize } from '../../api/fields.ts'
import type { Operation } from '../../api/operation.ts'
import { operations, prefix } from '../../api/operations.ts'
import type { RateQuota } from '../../config/config.ts'
import { problemAnchor } from '../../http/problems.ts'
import { disclaimers } from '../../http/response.ts'
import { type Content, codeBlock, type Html, html } from '../../web/html.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Addresses } from '../openapi/information.ts'
import { answersOf } from '../openapi/responses.ts'
import { programFor, syncPrograms, syncSections, walkProgram } from '../polling-programs/programs.ts'
import { answerText } from './described.ts'
import { markdown, type ReferenceOptions, section, table, tabs } from './parts.ts'

/** What the API is, in a few sentences. */
export function overview({ publicUrl }: ReferenceOptions): Html {
  const about = html`<p>A read-only REST API over a studio’s equipment: what it owns, where it is, how it is serviced, which insurance
policies it is declared under and what it is worth. It is for accounting tools, BI tools and no-code automations.</p>
<ul>
<li>Everything is a <code>GET</code> below <code>${publicUrl}${prefix}</code> and returns JSON. <code>HEAD</code> works too.</li>
<li>A token reads only the data of the studio it belongs to.</li>
<li>Ids are UUIDs, dates are <code>YYYY-MM-DD</code>, timestamps are UTC with milliseconds, and money is a JSON number in
the currency of the account.</li>
<li>Archived items are not shown. Nothing can be written, and nothing is pushed: <a href="#changes">poll to keep
a copy</a>.</li>
<li>The version is the <code>/v1</code> in the address. Reserved: <code>agreed_value_from_policy</code> is always
null, and the <code>value_source</code> <code>agreed</code> does not occur. Tolerate both.</li>
<li>Endpoints, parameters and fields may be added: ignore what you do not know. Nothing is removed from
<code>/v1</code>; if it is ever retired, <code>Deprecation</code> and <code>Sunset</code> headers announce it at least 12
months before.</li>
</ul>
<p>The OpenAPI 3.1 description is the machine-readable version: <a href="openapi.json">openapi.json</a> or
<a href="openapi.yaml">openapi.yaml</a>.</p>`
  return section('overview', 'What it is', about, codeBlock('Base address', `${publicUrl}${prefix}`))
}

/** The guide, from the first token to a client that keeps a copy. */
export function guide(options: ReferenceOptions, document: OpenApiDocument): Html {
  return html`${first(options, document)}${authentication()}${paging(options)}${changes(options)}${rateLimits(options)}`
}

function first(options: ReferenceOptions, document: OpenApiDocument): Html {
  const { publicUrl, links, command = 'npx studio-inventory' } = options
  const { request, answer } = firstCall(options)
  const app = links.console === undefined ? 'app, under API tokens' : html`<a href="${links.console}">console</a>`
  const shell = html`export TOKEN='<span data-token>svc_studio_…</span>'
curl -H "Authorization: Bearer $TOKEN" \\
  '${publicUrl}${prefix}${request}'`
  const create = `${command} token create \\
  --studio 'Northlight Studios' \\
  --name 'Accounting'`
  const about = html`<ol>
<li><p><strong>Get a token.</strong> An owner or admin of the studio creates it in the ${app}. The operator of
this service can also create it on the command line.</p></li>
<li><p><strong>Send it</strong> as a bearer token with every request. <span class="needs-script">On this page, type it into the field at the
top: the samples and the forms then use it. It stays in this page: it is not stored anywhere, and a reload clears it.</span></p></li>
<li><p><strong>Read the response.</strong> A list has its page of results in <code>data</code> and its position in
<code>meta</code>. A single resource is <code>data</code> itself. <code>_meta</code> is part of every response and
links to the <a href="#adequacy-disclaimer">disclaimers</a>.</p></li>
</ol>
`
  return section(
    'first-call',
    'First call',
    about,
    html`${codeBlock('1. Create a token on the command line', create, 'create-token')}
${codeBlock('2. List items', shell)}
${codeBlock('3. The response', answerText(answer, document), 'first-answer')}`,
  )
}

function authentication(): Html {
  const about = html`<p>Send the token as a bearer token in the <code>Authorization</code> header of every request. There is no OAuth and no
login: in no-code tools choose “bearer token” or “API key in a header”.</p>
<ul>
<li>A token reads all data of one studio, and cannot change anything. Treat it like a password.</li>
<li>It is shown once, when it is created. If it is lost, revoke it and create another.</li>
<li>It works until it is revoked or its last day has passed, and only from its allowed IP addresses if it has any.</li>
<li>A missing, unknown, revoked or expired token gets <a href="#${problemAnchor('unauthenticated')}">401</a>, always with the
same message. If the plan of the studio no longer includes the API, the response is <a href="#${problemAnchor('plan_required')}">403</a>.</li>
</ul>`
  const header = html`Authorization: Bearer <span data-token>svc_studio_…</span>`
  return section('authentication', 'Authentication', about, codeBlock('Header of every request', header))
}

function paging({ publicUrl }: ReferenceOptions): Html {
  const { title, text } = syncSections().paging
  const about = html`<p>A page has ${defaultPageSize} records. Choose another size with <code>per_page</code>, up to ${maximumPageSize}. Without
results the response is an empty list with status 200. Newest changes come first.</p>
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
<p>Every response to a token gives the limits (quota <code>q</code> in a window of <code>w</code> seconds) and what is left
(<code>r</code> requests; the window resets in <code>t</code> seconds).</p>
<p>Above the limit the response is <a href="#${problemAnchor('rate_limited')}">429</a>, and <code>Retry-After</code> says
how many seconds to wait. Failed authentications from one address are limited too.</p>`
  return section('rate-limits', 'Rate limits', about, codeBlock('Headers of a response', fields))
}

function quotaRow(plan: string, { perSecond, perMinute }: RateQuota): [string, number, number] {
  return [plan, perSecond, perMinute]
}

/** The tools with a recipe, by what they are for, each with its folder of `integrations/`. */
const recipes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Try requests': { Postman: 'postman' },
  Automate: { Zapier: 'zapier', 'Power Automate': 'power-automate', 'Node-RED': 'node-red' },
  'Copy into a warehouse': { dlt: 'dlt' },
  Analyse: {
    'Google Sheets': 'google-sheets',
    'Power BI': 'power-query',
    'Excel, Metabase, Superset, Grafana, Tableau': 'bi-tools',
    pandas: 'pandas',
    R: 'r',
  },
  'Ask AI assistants': { 'Claude, Cursor, VS Code and others': 'mcp' },
  Program: { TypeScript: 'typescript', Python: 'python' },
}

function recipeRows({ source }: ReferenceOptions): [string, Content][] {
  const link = ([tool, folder]: [string, string], at: number) =>
    html`${at > 0 && ', '}${source === undefined ? tool : html`<a href="${source}/integrations/${folder}">${tool}</a>`}`
  return Object.entries(recipes).map(([purpose, tools]) => [purpose, Object.entries(tools).map(link)])
}

/** Which interface suits which purpose, and the tools with recipes. */
export function connect(options: ReferenceOptions): Html {
  const { links, source } = options
  const graphql = links.graphql === undefined ? 'GraphQL' : html`<a href="${links.graphql}">GraphQL</a>`
  const console = links.console === undefined ? 'app' : html`<a href="${links.console}">console</a>`
  const about = html`<p><strong>Values of many items</strong> are in <code>/valuations</code>, 100 a request. For sums, and values of other days, take one of
these:</p>
<ul>
<li><strong>SQL</strong>, for BI tools and spreadsheets: a read-only PostgreSQL login that sees the one studio, with exact amounts. The operator of
this service creates it with <code>studio-inventory analyst create</code>.</li>
<li><strong>${graphql}</strong>, for programs: values, sums and groups in one request.</li>
<li><strong>The report</strong>, for accountants and insurers: every item with its value on any day, as PDF, XLSX or CSV. Owners and admins
download it in the ${console}.</li>
</ul>
<p><strong>Recipes</strong> show each tool step by step${source === undefined && html`, in the folder <code>integrations</code> of the source code`}:</p>
${table('Tools with a recipe', ['To', 'Tools'], recipeRows(options))}
<p>For other languages, generate a client from <a href="openapi.json">openapi.json</a>. Any list is also available as CSV: send <code>Accept: text/csv</code>.</p>`
  return section('connect', 'Connect a tool', about)
}

/** The exact disclaimers of `_meta.disclaimers`; `_meta.documentation_url` links here. */
export function adequacyDisclaimer(): Html {
  return section(
    'adequacy-disclaimer',
    'Disclaimers',
    html`<p>These statements are part of every response, as <code>_meta.disclaimers</code>:</p>
<ul class="disclaimers">
${disclaimers.map((text) => html`<li>${text}</li>`)}
</ul>
<p><code>coverage_state</code> and <code>gap_amount</code> say whether the value of an item is recorded and declared. They
do not say whether insurance would pay out: several policies, deductibles and perils are not modelled. Ask your insurer or
broker.</p>`,
  )
}

/** An example of an operation: its request, below `/v1`, and the demo's answer. */
type Example = { request: string; answer: unknown }

/** The first call: the first example of the operation that lists items. */
function firstCall(addresses: Addresses): Example {
  const operation = operations.find(({ id }) => id === 'list_items') as Operation
  const [[name, { request }] = ['', { request: '' }]] = Object.entries(operation.examples)
  return { request, answer: answersOf(operation, addresses)[name]?.value }
}
