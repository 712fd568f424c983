import type { z } from 'zod'
import { ConfigError } from './error.ts'
import { hostsText } from './postgres-url.ts'
import { redacted } from './redact.ts'

type Issue = z.core.$ZodIssue | undefined

/**
 * The error for the first field of CELLS_FILE that is not accepted.
 *
 * @param fields those that a cell may have
 */
export function invalidField(file: string, content: unknown, issue: Issue, fields: readonly string[]): ConfigError {
  const path = issue?.path ?? []
  const value = path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), content)
  const [, index, field, ...inner] = path
  const where =
    index === undefined ? path.join('.') : [cellText(content, Number(index)), field].filter(Boolean).join(': ')
  const place = ['CELLS_FILE', file, where && where + inner.map((key) => `[${String(key)}]`).join('')]
    .filter(Boolean)
    .join(': ')
  if (issue?.code === 'unrecognized_keys') {
    return new ConfigError(`${place}: ${issue.keys.join(', ')} is not known; a cell has ${fields.join(', ')}`)
  }
  if (value === undefined && field !== undefined) {
    return new ConfigError(`${place}: not set, but every cell needs it`)
  }
  const shown = typeof value === 'string' ? `${redacted('DATABASE_URL', value)} is not valid; ` : ''
  return new ConfigError(`${place}: ${shown}${issue?.message}`)
}

/** A cell as an error names it: by its name where it has one. */
function cellText(content: unknown, index: number): string {
  const name: unknown = Reflect.get(Object(Reflect.get(Object(content), 'cells')?.[index]), 'name')
  return typeof name === 'string' && name !== '' ? `cell ${redacted('name', name)}` : `cells[${index}]`
}

/**
 * Two cells of one name could not be told apart, and two in one database would share their studios.
 *
 * @param fields those that name the database of a cell
 * @throws ConfigError
 */
export function requireDifferent<Field extends string>(
  file: string,
  cells: readonly ({ name: string } & Partial<Record<Field, unknown>>)[],
  fields: readonly Field[],
): void {
  const names = new Set<string>()
  const owners = new Map<string, string>()
  for (const cell of cells) {
    const { name } = cell
    if (names.has(name))
      throw new ConfigError(`CELLS_FILE: ${file}: two cells are named ${name}; give each its own name`)
    names.add(name)
    for (const field of fields) {
      const url = cell[field]
      for (const place of typeof url === 'string' ? placesOf(url) : []) {
        const other = owners.get(`${field} ${place}`) ?? name
        if (other !== name) {
          throw new ConfigError(
            `CELLS_FILE: ${file}: cell "${name}": ${field}: it is the database of cell "${other}", ${place}; give each cell a database of its own`,
          )
        }
        owners.set(`${field} ${place}`, name)
      }
    }
  }
}

/** The database that a connection string names, at each of its hosts. */
function placesOf(url: string): string[] {
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  return hostsText(url)
    .split(',')
    .map((host) => `${database} at ${host.toLowerCase()}`)
}
