import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../../src')
const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'))
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readFile(join(source, file), 'utf8')] as const)),
)

/** The files in which a pattern occurs. */
function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(texts.get(file) ?? ''))
}

/** The rooms (folders, or files of src/ itself) that a room's files import from. */
function importsOf(room: string): string[] {
  const imported = files
    .filter((file) => file.startsWith(`${room}/`))
    .flatMap((file) =>
      [...(texts.get(file) ?? '').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
        join(file, '..', match[1] ?? ''),
      ),
    )
    .map((file) => file.split('/')[0] ?? '')
  return [...new Set(imported)].filter((other) => other !== room).toSorted()
}

it('only src/database imports pg', () => {
  expect(filesWith(/from 'pg'|import\('pg'\)/).filter((file) => !file.startsWith('database/'))).toEqual([])
})

it('only src/tracing imports OpenTelemetry, and what does so is loaded only where traces are wanted', () => {
  expect(filesWith(/@opentelemetry/)).toEqual(['tracing/export.ts', 'tracing/spans.ts'])
  expect(filesWith(/^import .*\/(?:spans|export)\.ts'/m)).toEqual(['tracing/spans.ts'])
  expect(filesWith(/import\('\.\/spans\.ts'\)/)).toEqual(['tracing/open.ts'])
})

it('only src/identity judges ID tokens, for whoever trusts an issuer', () => {
  expect(filesWith(/createRemoteJWKSet/)).toEqual(['identity/keys.ts'])
  expect(filesWith(/email_verified: z/)).toEqual(['identity/id-token.ts'])
  // The others verify what the service has signed itself: tokens of analysts and URLs of photos.
  expect(filesWith(/jwtVerify\(/).toSorted()).toEqual([
    'graphql/analyst-token.ts',
    'identity/id-token.ts',
    'photos/local.ts',
  ])
  expect(importsOf('identity')).toEqual([])
})

it('only src/config.ts reads the environment, but for what the embedded server hands on to its programs', () => {
  expect(filesWith(/process\.env/).filter((file) => !file.startsWith('database/embedded/'))).toEqual(['config.ts'])
})

it('only src/database/session.ts sets the studio of a session', () => {
  expect(filesWith(/set_config|studio\.id'/)).toEqual(['database/session.ts'])
})

it('every listener has the time limits of hardenServer', () => {
  expect(filesWith(/createServer\(serverOptions/).toSorted()).toEqual(filesWith(/^ *hardenServer\(server/m).toSorted())
  expect(
    filesWith(/from 'node:http'/).filter((file) => /createServer\((?!serverOptions)/.test(texts.get(file) ?? '')),
  ).toEqual([])
})

it('src/http knows neither the database nor a view', () => {
  expect(importsOf('http')).toEqual(['access', 'log.ts'])
})

it('src/access knows nothing of the API it guards', () => {
  expect(importsOf('access')).not.toContain('api')
})

it('src/database and src/photos know nothing of HTTP', () => {
  expect([...importsOf('database'), ...importsOf('photos')]).not.toContain('http')
})

it('src/openapi describes the API and has nothing else to do with it', () => {
  expect(importsOf('openapi')).toEqual(['api', 'config.ts', 'http'])
})
