import type { OpenApiDocument } from '../../openapi/document.ts'
import type { JsonSchema } from '../../openapi/schemas.ts'
import { resolve } from './described.ts'

/** What is to be said of the values of a field. */
export type FieldType = {
  /** Its type in JSON, with null where it may be null: `string or null`. */
  json: string
  /** What the value is, and its unit; empty where the type says it. */
  kind: string
  /** The only values that it has; empty: any of its type. */
  allowed: readonly string[]
  /** What the values mean, in Markdown. */
  meaning: string
}

const kinds: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  date: 'date, YYYY-MM-DD',
  'date-time': 'timestamp, UTC',
  uri: 'URL',
}

/** Amounts of money are the only numbers that are no whole ones; their texts say the currency. */
const money = 'money'

/** Reads the type of a field out of its schema. */
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

/** What the values are, which their type says, comes before what the field adds. It may also say all of it itself. */
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
  if (schema.default !== undefined) return `${schema.default} unless given`
  return kinds[String(schema.format)] ?? ''
}
