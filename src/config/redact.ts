/** Variables whose values are secrets from the first character to the last. */
const secrets: readonly string[] = [
  'SECRET_KEY',
  'STUDIO_INVENTORY_TOKEN',
  'PHOTOS_S3_SECRET_ACCESS_KEY',
  'PHOTOS_S3_SESSION_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
]

/** The value of a variable as a message may repeat it: on one line, not too long, without anything secret. */
export function redacted(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing'
  if (secrets.includes(name)) return `a text of ${value.trim().length} characters`
  const masked = /_URLS?$/.test(name) || name.endsWith('_ENDPOINT') ? withoutPassword(value) : value
  const line = masked.replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 100 ? `${line.slice(0, 100)}…` : line)
}

/** Works on text that is not a URL too: whatever precedes the last `@` may be a password. */
function withoutPassword(value: string): string {
  return value.replace(/^.*@/s, '***@').replace(/(password\s*=\s*)('[^']*'|[^&\s]+)/gi, '$1***')
}
