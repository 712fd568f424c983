import { type Operation, type TagName, tags } from '../../api/operation.ts'
import { operations, prefix } from '../../api/operations.ts'
import { codeBlock, type Html, html, siteHeader } from '../../web/html.ts'
import { describeApi, type OpenApiDocument } from '../openapi/document.ts'
import { allParameters } from '../openapi/schemas.ts'
import { type DescribedParameter, fieldsOf, resolve, typeOf } from './described.ts'
import { errors } from './errors.ts'
import { adequacyDisclaimer, connect, guide, overview } from './guide.ts'
import { offeredValues, operationSection } from './operation.ts'
import { definitions, fieldList, heading, inline, type ReferenceOptions, section } from './parts.ts'

/** The scripts of the page, one for each interactive part. */
const scripts = ['token.js', 'try.js', 'search.js', 'contents.js', 'languages.js', 'colours.js', 'copy.js'] as const

/** The complete reference page: its markup, made from the OpenAPI description, has every
 * operation and field. Scripts fill in the token, send requests, search and copy.
 * Serves: "an interactive page rendered from the OpenAPI 3.1 description …, with the
 * disclaimers anchored at `#adequacy-disclaimer`".
 * @param assets the folder of the page's files, relative to it: `docs/assets/<version>` */
export function renderPage(options: ReferenceOptions, assets: string): string {
  const document = describeApi(options)
  const icon = `${assets}/icon.svg`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Studio Inventory API: first call, authentication, pagination, keeping a copy, every endpoint and field, errors.">
<title>Studio Inventory API</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${assets}/docs.css">
${scripts.map((name) => html`<script type="module" src="${assets}/${name}"></script>\n`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(options.links, 'docs', icon, tokenField(options))}
<div class="columns">
${navigation()}
<main id="content">
<h1>Studio Inventory API</h1>
${overview(options)}${guide(options, document)}${connect(options)}${endpoints(document, options)}${responses(document)}${errors(options, document)}${adequacyDisclaimer()}
</main>
</div>
</body>
</html>
`
  return String(page)
}

/** The field for the reader's token, which stays in the field. */
function tokenField({ demo }: ReferenceOptions): Html {
  return html`<div class="token" role="group" aria-label="Your token">
<label for="token">API token</label>
<input id="token" type="password" placeholder="svc_studio_…" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-status"${demo && html` data-demo="${demo.token}"`}>
<button id="token-forget" type="button" disabled>Forget</button>
<p id="token-status" role="status"></p>
</div>`
}

/** The sections before and after the operations: anchor and name. */
const before = [
  ['overview', 'What it is'],
  ['first-call', 'First call'],
  ['authentication', 'Authentication'],
  ['paging', 'Pagination'],
  ['changes', 'Keep a copy'],
  ['rate-limits', 'Rate limits'],
  ['connect', 'Connect a tool'],
  ['endpoints', 'Endpoints'],
] as const
const after = [
  ['responses', 'Responses'],
  ['errors', 'Errors'],
  ['adequacy-disclaimer', 'Disclaimers'],
] as const

/** The contents, with a search. On a narrow screen they are a popover, which works without
 * scripts; the button that opens it names the current section. */
function navigation(): Html {
  return html`<nav class="bar" aria-label="Where you are"><button type="button" popovertarget="contents">Contents</button> <span id="current"></span></nav>
<nav id="contents" popover aria-label="Contents">
<div class="search">
<label for="search" class="spoken">Search this page</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" role="status" class="spoken"></p>
<ul id="results" hidden></ul>
</div>
<div id="all">
${list('Guide', before)}
${groups.map(({ name, operations }) =>
  list(
    name,
    operations.map(({ id, path }) => [id, html`<code>${path}</code>`]),
  ),
)}
${list('In common', after)}
</div>
</nav>`
}

function list(title: string, links: readonly (readonly [anchor: string, name: string | Html])[]): Html {
  return html`<p class="title">${title}</p>
<ul>
${links.map(([anchor, name]) => html`<li><a href="#${anchor}">${name}</a></li>\n`)}</ul>`
}

/** The operations by group, in the order of the reference. */
const groups: readonly { name: string; id: string; operations: readonly Operation[] }[] = Object.keys(tags).map(
  (tag) => ({
    name: tag,
    id: `group-${tag.toLowerCase()}`,
    operations: operations.filter((operation) => operation.tag === tag),
  }),
)

/** A table of all operations, then each with its parameters, fields, samples and form. */
function endpoints(document: OpenApiDocument, options: ReferenceOptions): Html {
  return html`${section('endpoints', 'Endpoints', atAGlance())}
${groups.map(
  (group) => html`<section class="group" id="${group.id}">
<div class="about">
${heading(2, group.id, group.name)}
<p>${tags[group.name as TagName]}</p>
</div>
</section>
${group.operations.map((operation) => operationSection({ document, operation, options }))}`,
)}
${offered(document)}`
}

function atAGlance(): Html {
  return html`<p>Every endpoint takes <code>GET</code>. Unknown parameters are ignored. A parameter that is given twice is an error.</p>
${definitions(
  operations.map(({ id, path, summary }) => [html`<a href="#${id}"><code>${prefix}${path}</code></a>`, summary]),
)}`
}

function offered(document: OpenApiDocument): Html {
  const parameters = Object.keys(allParameters)
    .filter((name) => name !== 'cursor')
    .map((name) => resolve<DescribedParameter>(document, { $ref: `#/components/parameters/${name}` }))
  const allowed = (name: string) =>
    parameters.filter((parameter) => parameter.name === name).flatMap(({ schema }) => typeOf(document, schema).allowed)
  return offeredValues(parameters, allowed)
}

/** What all responses share: what surrounds the data, and the headers. */
function responses(document: OpenApiDocument): Html {
  const { schemas, headers } = document.components
  const rows = (name: string) => fieldsOf(document, schemas[name] ?? {}).map(([name, type]) => ({ name, type }))
  const about = html`<p>Responses are JSON objects. A list has <code>data</code> (an array), <code>meta</code> and <code>_meta</code>; a single resource
has <code>data</code> and <code>_meta</code>. Amounts of money have the decimals of their currency, which a JSON number keeps on the way: read them as decimals, not as
floats, if the last digit matters.</p>
<h3 id="responses-meta"><a class="anchor" href="#responses-meta"><code>meta</code> of a list</a></h3>
${fieldList('Fields of meta', 'meta', rows('Paging'))}
<h3 id="responses-_meta"><a class="anchor" href="#responses-_meta"><code>_meta</code> of every response</a></h3>
${fieldList('Fields of _meta', '_meta', rows('ResponseMeta'))}
<h3 id="headers"><a class="anchor" href="#headers">Headers</a></h3>
<dl class="fields" aria-label="Headers of responses">
${Object.entries(headers).map(
  ([
    name,
    { description },
  ]) => html`<div id="headers.${name}"><dt><a href="#headers.${name}"><code>${name}</code></a></dt>
<dd>${inline(description)}</dd></div>
`,
)}</dl>`
  const lines = Object.entries(headers).map(([name, { example }]) => `${name}: ${example}`)
  return section('responses', 'Responses', about, codeBlock('Headers, for example', lines.join('\n')))
}
