const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a value is a UUID in lower case, as PostgreSQL writes it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && form.test(value)
}
