import { readFileSync } from 'node:fs'
import { messageOf } from '../domain/text.ts'
import { ConfigError } from './values.ts'

/** Variables that are secrets or may contain one. `NAME_FILE` names a file with the value. */
const secret =
  /^(SECRET_KEY|STUDIO_INVENTORY_TOKEN|CONSOLE_CLIENT_SECRET(?:_\d+)?|OTEL_EXPORTER_OTLP_HEADERS|REDIS_URL|(?:(?:POOLER|ANALYST|AUDITOR)_)?DATABASE_URL|REPLICA_DATABASE_URLS)_FILE$/

/** The variables, with those read whose values are in files.
 * @throws ConfigError when a file cannot be read, or is empty, or the variable is set too */
export function withFiles(set: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const read: Record<string, string | undefined> = { ...set }
  for (const [variable, path = ''] of Object.entries(set)) {
    const name = secret.exec(variable)?.[1]
    if (name === undefined) continue
    if (set[name] !== undefined) throw new ConfigError(`${variable}: set together with ${name}; set one of them`)
    read[name] = contentOf(variable, path.trim())
  }
  return read
}

function contentOf(variable: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`${variable}: cannot be read (${messageOf(error)}); give a file that this process may read`)
  }
  if (content === '') throw new ConfigError(`${variable}: ${path} is empty; write the value into it`)
  return content
}
