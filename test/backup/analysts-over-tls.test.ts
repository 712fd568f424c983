import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { runCli } from '../cli/run.ts'
import { useFolder } from '../support/folder.ts'

/** PostgreSQL with the rules of docs/deployment/pg_hba.conf and a certificate of a local authority,
 * asked by psql. */
const run = promisify(execFile)
const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'
const secretKey = 'a secret key that is long enough, for tests'
const log = makeLogger({ level: 'warn', fileDescriptor: 2 })

const temporary = useFolder()
let folder: string
let database: EmbeddedServer
/** The way in from another machine: connections through it have another address. */
let outside: Server
let env: Record<string, string>
/** What `analyst create` printed. */
let url: string

beforeAll(async () => {
  folder = temporary.path
  await makeCertificates()
  const data = join(folder, 'data')
  // Its account, which has to own the key, is known once there is a cluster.
  await (await openEmbedded(data, log, { programs })).close()
  const files = await configure(join(data, 'postgres'))
  database = await openEmbedded(data, log, { programs, settings: { fsync: 'off', ssl: 'on', ...files } })
  outside = forward(Number(new URL(database.url).port))
  await new Promise((resolve) => outside.once('listening', resolve))
  env = {
    ...{ DATABASE_URL: database.url, SECRET_KEY: secretKey, DATA_DIR: join(folder, 'own') },
    ANALYST_DATABASE_URL: `postgresql://localhost:${port()}/studio_inventory`,
  }
  for (const args of [['migrate'], ['demo']]) expect(await runCli(args, env)).toMatchObject({ status: 0 })
  const created = await runCli(['analyst', 'create', '--studio', 'Northlight Studios'], env)
  expect(created.status).toBe(0)
  url = created.stdout.trim()
})

afterAll(async () => {
  outside?.close()
  await database?.close()
})

const port = () => (outside.address() as AddressInfo).port

/** An authority, its certificate for localhost, and an authority that nobody believes. */
async function makeCertificates(): Promise<void> {
  const file = (name: string) => join(folder, name)
  const authority = (name: string) => [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
    ...['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)],
  ]
  await run('openssl', authority('authority'))
  await run('openssl', authority('stranger'))
  const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost']
  await run('openssl', [...request, '-keyout', file('server.key'), '-out', file('server.csr')])
  await writeFile(file('names'), 'subjectAltName=DNS:localhost')
  const signed = ['-CA', file('authority.crt'), '-CAkey', file('authority.key'), '-CAcreateserial', '-days', '2']
  const names = ['-extfile', file('names'), '-out', file('server.crt')]
  await run('openssl', ['x509', '-req', '-in', file('server.csr'), ...signed, ...names])
}

/** The files of the server, belonging to its account. The network `back` is this machine. */
async function configure(cluster: string): Promise<Record<string, string>> {
  const documented = await readFile(join(import.meta.dirname, '../../docs/deployment/pg_hba.conf'), 'utf8')
  expect(documented).toContain('172.31.250.0/24')
  const { uid, gid } = await stat(cluster)
  const place = (name: string) => join(cluster, name)
  await writeFile(place('rules.conf'), documented.replace('172.31.250.0/24', '127.0.0.1/32'))
  for (const name of ['server.crt', 'server.key']) await copyFile(join(folder, name), place(name))
  await chmod(place('server.key'), 0o600)
  for (const name of ['rules.conf', 'server.crt', 'server.key']) await chown(place(name), uid, gid)
  return { hba_file: place('rules.conf'), ssl_cert_file: place('server.crt'), ssl_key_file: place('server.key') }
}

function forward(to: number): Server {
  return createServer((socket) => {
    const onward = connect({ host: '127.0.0.1', port: to, localAddress: '127.0.0.9' })
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
}

/** Runs psql with a connection string, believing an authority. */
async function psql(connection: string, statement: string, authority = 'authority') {
  const certificates = { PGSSLROOTCERT: join(folder, `${authority}.crt`) }
  const asked = run(join(programs, 'psql'), ['-XAt', '-d', connection, '-c', statement], {
    env: { ...process.env, ...certificates },
  })
  return asked.then(
    ({ stdout }) => stdout.trim(),
    ({ stderr }: { stderr: string }) => stderr.trim(),
  )
}

const changed = (change: (url: URL) => void, from = url) => {
  const other = new URL(from)
  change(other)
  return other.href
}

test('analyst create names the server of ANALYST_DATABASE_URL and asks for its certificate', () => {
  expect(url).toMatch(
    new RegExp(`^postgresql://analyst_[0-9a-f]{12}:[^@]+@localhost:${port()}/studio_inventory\\?sslmode=verify-full$`),
  )
})

test('the connection string works from outside, over TLS', async () => {
  expect(await psql(url, 'select name from account')).toBe('Northlight Studios')
  expect(await psql(url, '\\conninfo')).toMatch(/SSL connection \(protocol: TLSv1\.[23]/)
})

test('a server with a certificate of another authority, or for another name, is not believed', async () => {
  expect(await psql(url, 'select 1', 'stranger')).toContain('certificate verify failed')
  const byAddress = changed((other) => {
    other.hostname = '127.0.0.1'
  })
  expect(await psql(byAddress, 'select 1')).toContain('does not match host name "127.0.0.1"')
})

test('without TLS an analyst is refused from outside', async () => {
  const plain = changed((other) => other.searchParams.set('sslmode', 'disable'))
  expect(await psql(plain, 'select 1')).toMatch(/no pg_hba\.conf entry for host "127\.0\.0\.9".*no encryption/)
})

test('nobody else is let in from outside, over TLS either: no administrator, no login of the service, no other database', async () => {
  const refused = /no pg_hba\.conf entry for host "127\.0\.0\.9"/
  const fromOutside = (from: string) =>
    changed((other) => {
      other.host = `localhost:${port()}`
      other.searchParams.set('sslmode', 'verify-full')
    }, from)
  for (const inside of [database.url, roleUrl(database.url, 'studio_api', secretKey)]) {
    expect(await withClient(inside, async () => 'in')).toBe('in')
    expect(await psql(fromOutside(inside), 'select 1')).toMatch(refused)
  }
  const other = changed((to) => {
    to.pathname = '/postgres'
  })
  expect(await psql(other, 'select 1')).toMatch(refused)
})
