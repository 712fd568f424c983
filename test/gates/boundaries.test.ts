import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'

const source = join(import.meta.dirname, '../../src')
const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'))
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readFile(join(source, file), 'utf8')] as const)),
)

/** A folder, or a file of src/ itself, may import these besides itself. */
const allowed = {
  'log.ts': [],
  domain: [],
  config: ['domain'],
  database: ['log.ts', 'domain', 'config'],
  migration: ['log.ts', 'domain', 'database'],
  photos: ['log.ts', 'domain', 'config'],
  http: ['log.ts'],
  auth: ['log.ts', 'domain', 'config', 'database', 'http'],
  tokens: ['database', 'http', 'auth'],
  api: ['domain', 'config', 'database', 'photos', 'http', 'auth'],
  'id-tokens': [],
  observability: ['log.ts', 'config', 'database', 'http', 'auth', 'api'],
  web: ['config', 'http'],
  'child-process': ['config'],
  analysts: ['domain', 'database', 'migration'],
  audit: ['database', 'migration'],
  importer: ['domain', 'database', 'child-process'],
  exporter: ['domain', 'database', 'importer'],
  report: ['domain', 'config', 'database', 'photos', 'child-process'],
  console: [
    ...[
      'log.ts',
      'domain',
      'config',
      'database',
      'photos',
      'http',
      'auth',
      'id-tokens',
      'web',
      'child-process',
      'tokens',
    ],
    ...['api', 'importer', 'report'],
  ],
  docs: ['config', 'http', 'api', 'web'],
  front: ['config', 'http', 'api', 'web'],
  graphql: ['log.ts', 'domain', 'config', 'database', 'http', 'auth', 'id-tokens', 'observability', 'web'],
  // A client of the API, which it describes by its table and schemas. It never reads the database.
  mcp: ['log.ts', 'domain', 'config', 'http', 'auth', 'api'],
  embedded: ['log.ts', 'database', 'migration', 'http'],
  demo: ['log.ts', 'domain', 'config', 'database', 'migration', 'auth', 'tokens', 'console', 'importer'],
  service: [
    ...['log.ts', 'domain', 'config', 'database', 'migration', 'photos', 'http', 'auth', 'api', 'observability', 'web'],
    ...['analysts', 'console', 'docs', 'front', 'graphql', 'mcp', 'embedded', 'demo'],
  ],
  cli: [
    ...['log.ts', 'domain', 'config', 'database', 'migration', 'tokens', 'analysts', 'audit'],
    ...['importer', 'exporter', 'report', 'graphql', 'mcp', 'embedded', 'demo', 'service'],
  ],
} satisfies Record<string, string[]>

type Place = keyof typeof allowed

const places = (Object.keys(allowed) as Place[]).toSorted((one, other) => other.length - one.length)

/** The most special entry of the table that a file is in. */
function placeOf(file: string): Place {
  const place = places.find((name) => file === name || file.startsWith(`${name}/`))
  if (place === undefined) throw new Error(`src/${file} is in no folder of the table in test/gates/boundaries.test.ts`)
  return place
}

/** The files of src/ that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = texts.get(file) ?? ''
  const paths = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) => path ?? '')
  return paths.map((path) => join(dirname(file), path)).filter((path) => !path.startsWith('..'))
}

const isWithin = (file: string, names: readonly string[]) =>
  names.some((name) => file === name || file.startsWith(`${name}/`))

/** The files in which a pattern occurs. */
function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(texts.get(file) ?? ''))
}

/** Says what is wrong. The names of the files follow. */
const amiss = (wrong: string, edit: string) =>
  gateMessage({ wrong, edit, run: 'npx vitest run test/gates/boundaries.test.ts' })

describe('imports', () => {
  it.each(Object.entries(allowed))('of src/%s come from itself and: %j', (name, others) => {
    const imports = files
      .filter((file) => placeOf(file) === name)
      .flatMap((file) => importsOf(file).map((imported) => ({ file, imported })))
      .filter(({ imported }) => placeOf(imported) !== name)
    const strange = imports
      .filter(({ imported }) => !isWithin(imported, others))
      .map(({ file, imported }) => `src/${file} imports src/${imported}`)
    const wrong = amiss(
      `src/${name} imports what it may not`,
      'the files named below; or `allowed` in test/gates/boundaries.test.ts when the design changes',
    )
    expect(strange, wrong).toEqual([])
    const unused = others.filter((other) => !imports.some(({ imported }) => isWithin(imported, [other])))
    expect(unused, `src/${name} may import what it does not: shorten the table`).toEqual([])
  })

  it('of files have no cycle', () => {
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]) => {
      const start = path.indexOf(file)
      if (start >= 0) cycles.push([...path.slice(start), file].join(' → '))
      if (start >= 0 || done.has(file)) return
      for (const imported of importsOf(file)) visit(imported, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    const wrong = amiss('files import each other', 'one of each cycle: move what both need to a file of its own')
    expect(cycles, wrong).toEqual([])
  })
})

const traces = 'observability/traces.ts'
it.each<[what: string, pattern: RegExp, ...where: string[]]>([
  ['import pg', /from 'pg'|import\('pg'\)/, 'database/'],
  ['import graphile-migrate', /from 'graphile-migrate'|import\('graphile-migrate'\)/, 'migration/committed-worker.ts'],
  ['import OpenTelemetry', /@opentelemetry/, traces],
  ['import traces.ts other than by import()', /^import (?!type).*\/traces\.ts'/m],
  ['load traces.ts by import()', /import\('\.\/traces\.ts'\)/, 'observability/observability.ts'],
  ['be a client of OpenID providers', /'openid-client'/, 'console/identity/'],
  ['get the keys of an issuer', /createRemoteJWKSet/, 'id-tokens/id-token.ts'],
  ['decide whether an e-mail is verified', /email_verified: verified/, 'id-tokens/id-token.ts'],
  // Two of them verify what the service has signed itself: tokens of analysts and URLs of photos.
  ['verify tokens', /jwtVerify\(/, 'graphql/analyst-token.ts', 'id-tokens/id-token.ts', 'photos/local.ts'],
  ['read the environment', /process\.env/, 'config/config.ts'],
  ['set the studio of a session', /set_config|studio\.id'/, 'database/session.ts'],
])('only some files may %s', (what, pattern, ...where) => {
  const placeIn = (file: string) =>
    where.find((place) => file === place || (place.endsWith('/') && file.startsWith(place)))
  const found = new Set(filesWith(pattern).map((file) => placeIn(file) ?? file))
  const wrong = amiss(`only ${where} may ${what}`, `the files named below: ask ${where[0]} instead`)
  expect([...found].toSorted(), wrong).toEqual(where)
})
