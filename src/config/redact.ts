import { ConfigError } from './error.ts'

/** Variables whose values are secrets from the first character to the last. */
const secrets: readonly string[] = [
  'SECRET_KEY',
  'STUDIO_INVENTORY_TOKEN',
  'PHOTOS_S3_SECRET_ACCESS_KEY',
  'PHOTOS_S3_SESSION_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'CONSOLE_CLIENT_SECRET',
]

/** The value of a variable as a message may repeat it: on one line, not too long, without anything secret. */
export function redacted(name: string, value: string | undefined): string {
  if (value === undefined) return 'nothing'
  if (secrets.includes(name.replace(/_\d+$/, ''))) return `a text of ${value.trim().length} characters`
  const masked = /_(URLS?|ENDPOINT|ISSUER(_\d+)?)$/.test(name) ? withoutPassword(value) : value
  const line = masked.replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 100 ? `${line.slice(0, 100)}…` : line)
}

/** The error for a value that is not accepted; `advice` says what is. */
export function invalidValue(name: string, value: string | undefined, advice: string | undefined): ConfigError {
  return new ConfigError(`${name}: ${redacted(name, value)} is not valid; ${advice}`)
}

/** Works on text that is not a URL too: whatever precedes the last `@` may be a password. */
function withoutPassword(value: string): string {
  return value.replace(/^.*@/s, '***@').replace(/(password\s*=\s*)('[^']*'|[^&\s]+)/gi, '$1***')
}
