import type { RequestHandler } from 'express'
import { stringify } from 'yaml'
import { jsonType } from '../../../http/response.ts'
import { prepareText, type StaticText, sendStaticText } from '../../static.ts'
import { describeApi, type OpenApiDocument } from './document.ts'
import type { DescriptionOptions } from './options.ts'

/** RFC 9512; YAML is UTF-8. */
export const yamlType = 'application/yaml'

/** The document as YAML, for readers of YAML 1.1 too: to them a date without quotes is no text. */
export function yamlOf(document: OpenApiDocument): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    compat: 'yaml-1.1',
    lineWidth: 120,
  })
}

/** Makes the handlers of `/openapi.json` and `/openapi.yaml`. The document is made at the first request, once. */
export function serveDescription(options: DescriptionOptions): { json: RequestHandler; yaml: RequestHandler } {
  const document = once(() => describeApi(options))
  const json = once(() => prepareText(jsonType, JSON.stringify(document())))
  const yaml = once(() => prepareText(yamlType, yamlOf(document())))
  return { json: sending(json), yaml: sending(yaml) }
}

function sending(made: () => StaticText): RequestHandler {
  return (request, response) => sendStaticText(request, response, made())
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
