import type { OpenApiDocument } from '../openapi/document.ts'
import type { JsonSchema } from '../openapi/schemas.ts'
import type { IsMoney } from './operations/wire.ts'

/** Which fields are amounts of money, by their names: those that are numbers, and no whole ones, in some resource. */
export function moneyOf({ components }: Pick<OpenApiDocument, 'components'>): IsMoney {
  const properties = Object.values(components.schemas).flatMap((schema) => Object.entries(Object(schema.properties)))
  const isNumber = ([, { type }]: [string, JsonSchema]) => [type].flat().includes('number')
  const names = new Set((properties as [string, JsonSchema][]).filter(isNumber).map(([name]) => name))
  return (field) => names.has(field)
}
