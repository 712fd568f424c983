import { parametersOf } from '../../../../api/operation.ts'
import { operations, prefix } from '../../../../api/operations.ts'
import { type ParameterName, parameterDefinitions } from '../../../../http/parameters.ts'
import { type Content, type Html, html } from '../../../html.ts'
import { inline } from '../markdown.ts'
import { definitions } from '../parts.ts'

/** All operations and their parameters, readable without JavaScript. */
export function endpoints(): Html {
  return html`<section id="endpoints">
<h2>Endpoints</h2>
<p>All are read with <code>GET</code>. Fields, examples and every answer are in the
<a href="#reference">interactive reference</a>.</p>
${definitions(
  operations
    .map((operation) => ({ ...operation, parameters: parametersOf(operation) }))
    .map(({ path, summary, parameters }) => [
      html`<code>${prefix}${path}</code>`,
      [summary, parameters.length > 0 ? names(parameters) : ''],
    ]),
)}
<h3>Query parameters</h3>
${definitions(Object.entries(parameterDefinitions).map(([name, { description }]) => [html`<code>${name}</code>`, inline(description)]))}
<p>Unknown parameters are ignored; one that is given twice is an error.</p>
</section>
`
}

function names(parameters: readonly ParameterName[]): Content {
  return html`<span class="names">${parameters.map((name) => html`<code>${name}</code> `)}</span>`
}
