import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../../src/docs/openapi/document.ts'
import { type Described, describedResponse, resolve } from './described.ts'

/** What came over the wire, as far as the description speaks of it. */
export type Response = { status: number; headers: Readonly<Record<string, unknown>>; json: unknown }

/** Validates responses against an OpenAPI document: status, media type, body and headers. */
export type Validator = {
  /** What is wrong with the response of the operation at a path; empty when nothing is. */
  faultsOf(path: string, response: Response): string[]
}

export function createValidator(document: OpenApiDocument): Validator {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  // Of the whole document so that references resolve; its other keywords are OpenAPI's.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document as AnySchema, 'api')
  const compiled = new Map<string, ValidateFunction>()

  const faultsBySchema = (schema: object, value: unknown): string[] => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  return {
    faultsOf(path, { status, headers, json }) {
      const described = describedResponse(document, path, status)
      if (described.content === undefined) {
        const body = json === null && headers['content-type'] === undefined ? [] : ['there is a body']
        return [...body, ...headerFaults(described, headers)]
      }
      const type = String(headers['content-type']).replace(/; charset=utf-8$/, '')
      const content = described.content[type]
      if (content === undefined) return [`${type} is not among ${Object.keys(described.content)}`]
      return [...faultsBySchema(content.schema, json), ...headerFaults(described, headers)]
    },
  }

  function headerFaults(described: Described, sent: Response['headers']): string[] {
    return Object.entries(described.headers).flatMap(([name, reference]) => {
      const header = resolve<{ required?: true; schema: { type: string } }>(document, reference)
      const text = sent[name.toLowerCase()]
      if (text === undefined) return header.required ? [`${name} is missing`] : []
      const value = header.schema.type === 'integer' ? Number(text) : text
      return faultsBySchema(header.schema, value).map((fault) => `${name}: ${fault}`)
    })
  }
}
