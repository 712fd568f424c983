import type { Operation } from '../../api/operation.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schemas.ts'

/** A parameter in the description. */
export type DescribedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: JsonSchema
  example?: unknown
  examples?: Readonly<Record<string, { value: unknown }>>
}

/** A response in the description. */
type DescribedResponse = {
  description: string
  headers?: Readonly<Record<string, unknown>>
  content?: Readonly<
    Record<string, { schema: JsonSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> }>
  >
}

/** An operation in the description, with every reference resolved. */
export type DescribedOperation = {
  id: string
  /** The name of the section, which is also the beginning of the anchors in it. */
  path: string
  /** The summary becomes a heading, so it ends without a full stop. */
  title: string
  description: string
  parameters: readonly DescribedParameter[]
  responses: readonly (readonly [status: string, response: DescribedResponse])[]
  examples: Operation['examples']
}

/** Resolves a reference within the description. Returns any other value unchanged. */
export function resolve<Target>(document: OpenApiDocument, value: unknown): Target {
  const { $ref } = Object(value) as { $ref?: string }
  if ($ref === undefined) return value as Target
  const keys = $ref.replace(/^#\//, '').split('/')
  const found = keys.reduce<unknown>((place, key) => Reflect.get(Object(place), key), document)
  if (found === undefined) throw new Error(`${$ref} leads nowhere`)
  return found as Target
}

/** Reads an operation from the description. */
export function describedOperation(document: OpenApiDocument, operation: Operation): DescribedOperation {
  const { path, id, examples } = operation
  const described = document.paths[path]?.get as {
    summary: string
    description: string
    parameters: unknown[]
    responses: Record<string, unknown>
  }
  return {
    id,
    path,
    title: described.summary.replace(/\.$/, ''),
    description: described.description,
    parameters: described.parameters.map((parameter) => resolve<DescribedParameter>(document, parameter)),
    responses: Object.entries(described.responses).map(([status, response]) => [
      status,
      resolve<DescribedResponse>(document, response),
    ]),
    examples,
  }
}

/** The successful response, which every operation has. */
export function successOf({ id, responses }: DescribedOperation): DescribedResponse {
  const [, response] = responses.find(([status]) => status === '200') ?? []
  if (response === undefined) throw new Error(`${id} has no answer of success`)
  return response
}

/** How the page describes the values of a field. */
export type FieldType = {
  /** The JSON type, such as `string or null`. */
  json: string
  /** What the value is and its unit; empty if the type says it. */
  kind: string
  /** The only values; empty: any of the type. */
  allowed: readonly string[]
  /** What the values mean, in Markdown. */
  meaning: string
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  date: 'date, YYYY-MM-DD',
  'date-time': 'timestamp, UTC',
  uri: 'URL',
}

/** Only money is a number with decimals; its texts name the currency. */
const money = 'money'

/** Reads the type of a field from its schema. */
export function typeOf(document: OpenApiDocument, schema: JsonSchema): FieldType {
  const { isNullable, schema: other } = withoutNull(schema)
  const target = resolve<JsonSchema>(document, other)
  const types = [target.type].flat().filter((type) => type !== 'null')
  const allowed = [target.enum ?? []].flat().map(String)
  const items = target.items === undefined ? undefined : typeOf(document, target.items as JsonSchema)
  const json = items === undefined ? types.join(' or ') : `array of ${items.json}`
  const meanings = [schema.description, target === schema ? undefined : target.description].filter(
    (text) => typeof text === 'string',
  )
  return {
    json: isNullable ? `${json} or null` : json,
    kind: items?.kind ?? kindOf(target, types),
    allowed: items?.allowed ?? allowed,
    meaning: inOrder(meanings).join(' '),
  }
}

/** The fields of an object, by name. */
export function fieldsOf(document: OpenApiDocument, schema: JsonSchema): [name: string, type: FieldType][] {
  const { properties = {} } = resolve<{ properties?: Record<string, JsonSchema> }>(document, schema)
  return Object.entries(properties).map(([name, property]) => [name, typeOf(document, property)])
}

/** Puts the text of the type before the field's own. Drops parts that the field's text repeats. */
function inOrder([own, ...others]: string[]): string[] {
  return own === undefined ? [] : [...others.filter((other) => !own.startsWith(other.replace(/\.$/, ''))), own]
}

function withoutNull(schema: JsonSchema): { isNullable: boolean; schema: JsonSchema } {
  const choices = [schema.anyOf ?? []].flat() as JsonSchema[]
  const other = choices.find(({ type }) => type !== 'null')
  if (other !== undefined) return { isNullable: true, schema: other }
  return { isNullable: [schema.type].flat().includes('null'), schema }
}

function kindOf(schema: JsonSchema, types: readonly unknown[]): string {
  if (types.includes('number')) return money
  if (schema.default !== undefined) return `Default: ${schema.default}`
  return formats[String(schema.format)] ?? ''
}

/** An answer in lines. Money keeps two decimals, which JavaScript's numbers drop. */
export function answerText(answer: unknown, { components }: Pick<OpenApiDocument, 'components'>): string {
  const properties = Object.values(components.schemas).flatMap((schema) => Object.entries(Object(schema.properties)))
  const amounts = new Set(
    properties.filter(([, field]) => [Object(field).type].flat().includes('number')).map(([name]) => name),
  )
  const marked = (field: string, value: unknown) =>
    typeof value === 'number' && amounts.has(field) ? `amount:${value.toFixed(2)}` : value
  return JSON.stringify(answer, marked, 2).replace(/"amount:(-?[\d.]+)"/g, '$1')
}
