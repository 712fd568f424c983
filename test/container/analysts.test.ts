import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { type Composition, docker, image, makeComposition, run } from './engine.ts'

/** compose.analysts.yaml over compose.yaml, asked from outside. */
const psql = '/usr/lib/postgresql/15/bin/psql'
let folder: string
let stack: Composition
let ports: { sql: number; graphql: number }
/** What `analyst create` printed. */
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-tls-'))
  await chmod(folder, 0o755)
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-out', certificate, '-keyout', key)
  await chmod(key, 0o600)
  await chown(key, 999, 999)
  ports = { sql: await findPort('127.0.0.1', 0), graphql: await findPort('127.0.0.1', 0) }
  await docker('build', '--network', 'host', '--tag', image, '.')
  stack = await makeComposition(['docs/deployment/compose.analysts.yaml'], {
    ...{ POSTGRES_TLS: folder, ANALYST_ADDRESS: '127.0.0.1', ANALYST_PORT: String(ports.sql) },
    ANALYST_DATABASE_URL: `postgresql://localhost:${ports.sql}/studio_inventory`,
    ...{ GRAPHQL_PUBLIC_URL: 'https://api.example.com', PUBLISHED_GRAPHQL_PORT: String(ports.graphql) },
  })
  await stack.compose('up', '--detach', '--no-build')
  await stack.compose('run', '--rm', 'admin', 'demo')
  const created = await stack.compose('run', '--rm', 'admin', 'analyst', 'create', '--studio', 'Northlight Studios')
  url = /^postgresql:\S+/m.exec(created)?.[0] ?? expect.fail(created)
})

afterAll(async () => {
  await stack?.remove()
  if (folder) await rm(folder, { recursive: true })
})

const ask = (connection: string) => run(psql, '-XAt', '-d', connection, '-c', 'select name from account')
const believing = (connection: string) => `${connection}&sslrootcert=${folder}/server.crt`

it('an analyst is let in over TLS with what analyst create prints', async () => {
  expect(url).toContain(`@localhost:${ports.sql}/studio_inventory?sslmode=verify-full`)
  expect(await ask(believing(url))).toMatchObject({ code: 0, stdout: 'Northlight Studios\n' })
})

it('an analyst without TLS, and the administrator, are refused', async () => {
  expect((await ask(url.replace('verify-full', 'disable'))).output).toContain('no pg_hba.conf entry')
  const administrator = new URL(url)
  administrator.username = 'postgres'
  administrator.password = stack.secrets.POSTGRES_PASSWORD
  expect((await ask(believing(administrator.href))).output).toContain('no pg_hba.conf entry')
})

it('GraphQL answers on a port of this machine', async () => {
  const answer = () =>
    fetch(`http://127.0.0.1:${ports.graphql}/graphql`, { method: 'POST' }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(answer, { timeout: 60_000 }).toBe(401)
})
