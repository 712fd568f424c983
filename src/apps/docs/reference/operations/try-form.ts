import { prefix } from '../../../../api/operations.ts'
import { type Html, html } from '../../../html.ts'
import { baseOf } from '../../../places.ts'
import type { DescribedOperation, DescribedParameter } from './described.ts'

/**
 * The form that sends a request from the page, which `browser/try.js` brings to life. Its fields take any text: what is wrong
 * the service says itself. It begins with the first example.
 */
export function tryForm({ id, path, title, parameters, examples }: DescribedOperation, publicUrl: string): Html {
  const { request = path } = Object.values(examples)[0] ?? {}
  const given = givenIn(path, request)
  return html`<form class="try" data-path="${baseOf(publicUrl)}${prefix}${path}" data-shown="${publicUrl}${prefix}${path}" aria-label="Try: ${title}">
<p class="title">Try it</p>
${parameters.map((parameter) => field(id, parameter, given[parameter.name] ?? ''))}
<p class="send"><button class="primary">Send request</button> <a class="needs-token" href="#token">Needs a token</a></p>
<p class="spoken" role="status"></p>
<div class="answer" hidden></div>
</form>`
}

function field(operation: string, { name, in: where, schema, examples }: DescribedParameter, value: string): Html {
  const id = `try-${operation}-${name}`
  const list = examples !== undefined && Object.keys(examples).length > 0 && name !== 'cursor'
  const hint = schema.default === undefined ? '' : String(schema.default)
  return html`<div class="field"><label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${where}" value="${value}" placeholder="${hint}"${list && html` list="values-${name}"`} autocomplete="off" autocapitalize="off" spellcheck="false"></div>
`
}

/** The parameters of an example: those of its query, and the id of its path. */
function givenIn(path: string, request: string): Record<string, string> {
  const { pathname, searchParams } = new URL(request, 'http://service')
  const at = path.split('/').indexOf('{id}')
  return { ...Object.fromEntries(searchParams), ...(at > 0 && { id: pathname.split('/')[at] ?? '' }) }
}

/** What the fields offer to fill in, by the names of parameters; once for all operations. */
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
