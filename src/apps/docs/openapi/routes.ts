import type { RequestHandler } from 'express'
import { stringify } from 'yaml'
import { type Kept, keep, sendKept } from '../../../http/kept.ts'
import { jsonType } from '../../../http/response.ts'
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
  const json = once(() => keep(jsonType, JSON.stringify(document())))
  const yaml = once(() => keep(yamlType, yamlOf(document())))
  return { json: sending(json), yaml: sending(yaml) }
}

function sending(made: () => Kept): RequestHandler {
  return (request, response) => sendKept(request, response, made())
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
