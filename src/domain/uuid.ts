/** The usual form of a UUID in lower case: 8-4-4-4-12 hexadecimal digits. For PostgreSQL's `~` and `~*` too. */
export const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const form = new RegExp(uuidPattern)

/** Whether a value is a UUID in lower case, as PostgreSQL writes it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && form.test(value)
}
