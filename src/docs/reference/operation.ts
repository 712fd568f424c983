import type { Operation } from '../../api/operation.ts'
import { prefix } from '../../api/operations.ts'
import { type ProblemCode, problemAnchor, problemDefinitions } from '../../http/problems.ts'
import { codeBlock, type Html, html } from '../../web/html.ts'
import { baseOf } from '../../web/links.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schemas.ts'
import {
  answerText,
  type DescribedOperation,
  type DescribedParameter,
  describedOperation,
  fieldsOf,
  resolve,
  successOf,
  typeOf,
} from './described.ts'
import { byStatus } from './errors.ts'
import { fieldList, heading, inline, type ReferenceOptions, type Row, tabs } from './parts.ts'

/** The parts of an operation's section. */
type OperationPage = {
  document: OpenApiDocument
  operation: Operation
  options: ReferenceOptions
}

/** The section of an operation: description, samples, a form to try it, and examples. */
export function operationSection({ document, operation, options }: OperationPage): Html {
  const { publicUrl } = options
  const described = describedOperation(document, operation)
  const { id, path, title, parameters } = described
  return html`<section class="operation" id="${id}">
<div class="about">
${heading(3, id, title)}
<p class="address"><span class="method">GET</span> <code>${prefix}${path}</code></p>
<p>${inline(described.description)}</p>
</div>
<div class="samples" id="${id}-samples">
${samples(described, operation, publicUrl)}
${tryForm(described, document, options)}
${examples(described, document)}
</div>
<div class="about more">
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4>\n${fieldList(
    `Parameters of ${path}`,
    id,
    parameters.map((parameter) => parameterRow(document, parameter)),
  )}`
}
<h4>Response</h4>
<p>${envelopeWords[operation.envelope]}</p>
${fieldList(`Fields of ${path}`, `${id}.data`, rowsOf(document, successOf(described)))}
<p class="others">Headers: ${headerLinks(described)}.</p>
<p class="others">Errors: ${errorLinks(described)}.</p>
</div>
</section>
`
}

const envelopeWords = {
  list: html`A <a href="#responses">list</a>: <code>data</code> has up to 100 of these, and <code>meta</code> the position in the list.`,
  single: html`A <a href="#responses">single resource</a>: <code>data</code> has these fields.`,
  array: html`A <a href="#responses">single resource</a> whose <code>data</code> is an array of these. It is not paged.`,
}

function parameterRow(document: OpenApiDocument, parameter: DescribedParameter): Row {
  const { name, required, description, schema } = parameter
  const type = typeOf(document, schema)
  const where = `${{ path: 'in the path', query: 'query', header: 'header' }[parameter.in]}${required ? ', required' : ''}`
  // Fields with these values need no text that explains them.
  return { name, where, type: { ...type, meaning: description }, more: exampleWords(parameter, type.allowed) }
}

/** Example values, if the types do not give them and a reader could make them up. */
function exampleWords({ name, examples }: DescribedParameter, allowed: readonly string[]): Html | false {
  const values = Object.values(examples ?? {}).map(({ value }) => String(value))
  if (name === 'category') return valuesToTry('One of', values)
  if (allowed.length > 0 || name !== 'updated_since') return false
  return valuesToTry('For example', values)
}

function valuesToTry(label: string, values: readonly string[]): Html {
  return html` ${label}:<ul class="values" aria-label="${label}">${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`
}

/** The fields of `data`, or of its elements. */
function rowsOf(document: OpenApiDocument, { content }: ReturnType<typeof successOf>): Row[] {
  const { schema } = content?.['application/json'] ?? { schema: {} }
  const { properties } = resolve<{ properties: { data: JsonSchema } }>(document, schema)
  const data = resolve<JsonSchema>(document, properties.data)
  return fieldsOf(document, (data.items as JsonSchema | undefined) ?? data).map(([name, type]) => ({ name, type }))
}

function headerLinks(described: DescribedOperation): Html[] {
  const names = Object.keys(successOf(described).headers ?? {})
  return names.map((name, index) => html`${index > 0 && ', '}<a href="#headers.${name}"><code>${name}</code></a>`)
}

/** Links to each error of the operation. */
function errorLinks({ responses }: DescribedOperation): Html[] {
  const codes = responses.flatMap(([, { content }]) => {
    const { examples } = content?.['application/problem+json'] ?? { examples: {} }
    return Object.keys(examples) as ProblemCode[]
  })
  return byStatus(codes).map(
    (code, index) =>
      html`${index > 0 && ', '}<a href="#${problemAnchor(code)}">${problemDefinitions[code].status} <code>${code}</code></a>`,
  )
}

function samples({ id, title }: DescribedOperation, operation: Operation, publicUrl: string): Html {
  const address = publicUrl + prefix + (Object.values(operation.examples)[0]?.request ?? operation.path)
  const request = { address, envelope: operation.envelope }
  const panels = sampleLanguages.map(({ name, sample }) => ({
    name,
    content: codeBlock(`${title}, with ${name}`, sample(request), `${id} ${name}`),
  }))
  return tabs('Language', `language-${id}`, panels)
}

function examples(described: DescribedOperation, document: OpenApiDocument): Html {
  const { id } = described
  const panels = Object.entries(successOf(described).content?.['application/json']?.examples ?? {}).map(
    ([name, { summary, value }]) => ({
      name: summary,
      content: codeBlock(
        `Response to ${described.examples[name]?.request}`,
        answerText(value, document),
        `${id} ${name}`,
      ),
    }),
  )
  return html`<div class="example"><p class="title">Example${panels.length > 1 ? 's' : ''}</p>
${tabs('Example', `example-${id}`, panels)}</div>`
}

/** A request for the samples of an operation. */
type SampleRequest = { address: string; envelope: 'list' | 'single' | 'array' }

/** The same request in each language. Marks what the page's script replaces: `data-token` with
 * the token, `data-address` with the address, `data-header` with a header (`{}`: its value). */
const sampleLanguages = [
  { name: 'curl', sample: curl },
  { name: 'JavaScript', sample: javascript },
  { name: 'Python', sample: python },
] as const

const addressOf = ({ address }: SampleRequest) => html`<span data-address>${address}</span>`

function curl(request: SampleRequest): Html {
  return html`curl -H "Authorization: Bearer <span data-token>$TOKEN</span>" \\
<span data-header="  -H 'If-None-Match: {}' \\&#10;"></span>  '${addressOf(request)}'`
}

function javascript(request: SampleRequest): Html {
  const parts = request.envelope === 'list' ? '{ data, meta }' : '{ data }'
  return html`const response = await fetch('${addressOf(request)}', {
  headers: {
    Authorization: 'Bearer <span data-token>YOUR_TOKEN</span>',
<span data-header="    'If-None-Match': '{}',&#10;"></span>  },
})
if (!response.ok) throw new Error(await response.text())
const ${parts} = await response.json()`
}

function python(request: SampleRequest): Html {
  return html`import json
from decimal import Decimal
from urllib.request import Request, urlopen

request = Request('${addressOf(request)}', headers={
    'Authorization': 'Bearer <span data-token>YOUR_TOKEN</span>',
<span data-header="    'If-None-Match': '{}',&#10;"></span>})
with urlopen(request) as response:
    answer = json.load(response, parse_float=Decimal)
data = answer['data']`
}

/** The form that sends a request (`browser/try.js`), filled in with the first example. The
 * service reports mistakes. */
function tryForm(
  { id, path, title, parameters, examples }: DescribedOperation,
  document: OpenApiDocument,
  { publicUrl }: ReferenceOptions,
): Html {
  const { request = path } = Object.values(examples)[0] ?? {}
  const given = givenIn(path, request)
  return html`<form class="try" data-path="${baseOf(publicUrl)}${prefix}${path}" data-shown="${publicUrl}${prefix}${path}" aria-label="Try: ${title}">
<p class="title">Try it</p>
${parameters.map((parameter) => field(id, parameter, typeOf(document, parameter.schema).allowed, given[parameter.name] ?? ''))}
<p class="send"><button class="primary">Send request</button> <a class="needs-token" href="#token">Needs a token</a></p>
<p class="spoken" role="status"></p>
<div class="answer" hidden></div>
</form>`
}

/** A field for a parameter: a choice if it has fixed values, else a text with suggestions. */
function field(operation: string, parameter: DescribedParameter, allowed: readonly string[], value: string): Html {
  const { name, in: where, schema, examples } = parameter
  const id = `try-${operation}-${name}`
  const attributes = html`id="${id}" name="${name}" data-in="${where}"`
  const hint = schema.default === undefined ? '' : String(schema.default)
  const list = examples !== undefined && Object.keys(examples).length > 0 && name !== 'cursor'
  const control =
    allowed.length > 0
      ? html`<select ${attributes}><option value="">${hint === '' ? 'Any' : `Default: ${hint}`}</option>${allowed.map((each) => html`<option${each === value && html` selected`}>${each}</option>`)}</select>`
      : html`<input ${attributes} value="${value}" placeholder="${hint}"${list && html` list="values-${name}"`} autocomplete="off" autocapitalize="off" spellcheck="false">`
  return html`<div class="field"><label for="${id}">${name}</label>${control}</div>
`
}

/** The parameters of an example: its query, and the id in its path. */
function givenIn(path: string, request: string): Record<string, string> {
  const { pathname, searchParams } = new URL(request, 'http://service')
  const at = path.split('/').indexOf('{id}')
  return { ...Object.fromEntries(searchParams), ...(at > 0 && { id: pathname.split('/')[at] ?? '' }) }
}

/** Values that the form suggests, by the names of parameters, once for all operations. */
export function offeredValues(
  parameters: readonly DescribedParameter[],
  allowed: (name: string) => readonly string[],
): Html {
  const lists = parameters.map(({ name, examples = {} }) => {
    const values = allowed(name)
    return { name, values: values.length > 0 ? values : Object.values(examples).map(({ value }) => String(value)) }
  })
  return html`${lists.map(({ name, values }) => html`<datalist id="values-${name}">${values.map((value) => html`<option value="${value}"></option>`)}</datalist>\n`)}`
}
