import { type Operation, type TagName, tags } from '../../../../api/operation.ts'
import { allParameters, operations, prefix } from '../../../../api/operations.ts'
import { type Html, html } from '../../../html.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { type DescribedParameter, resolve } from '../operations/described.ts'
import { operationSection } from '../operations/operation.ts'
import { offeredValues } from '../operations/try-form.ts'
import { typeOf } from '../operations/types.ts'
import type { IsMoney } from '../operations/wire.ts'
import { definitions, heading, section } from '../parts.ts'

/** The operations by their groups, in the order of the reference. */
export const groups: readonly { name: string; id: string; operations: readonly Operation[] }[] = Object.keys(tags).map(
  (tag) => ({
    name: tag,
    id: `group-${tag.toLowerCase()}`,
    operations: operations.filter((operation) => operation.tag === tag),
  }),
)

/** All operations at a glance, then each with its parameters, fields, samples and a form to try it. */
export function endpoints(document: OpenApiDocument, publicUrl: string, isMoney: IsMoney): Html {
  return html`${section('endpoints', 'Endpoints', overview())}
${groups.map(
  (group) => html`<section class="group" id="${group.id}">
<div class="about">
${heading(2, group.id, group.name)}
<p>${tags[group.name as TagName]}</p>
</div>
</section>
${group.operations.map((operation) => operationSection({ document, operation, publicUrl, isMoney }))}`,
)}
${offered(document)}`
}

function overview(): Html {
  return html`<p>All are read with <code>GET</code>. Unknown parameters are ignored; one that is given twice is an error.</p>
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
