import type { OpenApiDocument } from '../../src/docs/openapi/document.ts'

/** Every ISO 8601 date, with or without a time. A pattern cannot check which dates exist. */
const iso8601 = '^\\d{4}-?(?:\\d{2}-?\\d{2}|\\d{3}|W\\d{2}-?\\d)(?:[Tt].+)?$'
const utc = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** The description as the service keeps to it today; the published one permits new fields
 * and other forms of timestamps. */
export function strictly(document: OpenApiDocument): OpenApiDocument {
  const strict = JSON.parse(JSON.stringify(document), (_key, value) => {
    if (value?.type === 'object' && value.properties !== undefined) return { ...value, additionalProperties: false }
    if (value?.format === 'date-time') return { ...value, pattern: utc }
    return value
  }) as OpenApiDocument & { components: { parameters: Record<string, { schema: object }> } }
  const { updated_since } = strict.components.parameters
  if (updated_since) updated_since.schema = { type: 'string', pattern: iso8601 }
  return strict
}
