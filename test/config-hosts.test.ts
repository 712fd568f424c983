import { expect, it, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { hostsText, readPostgresUrl, serverKinds } from '../src/config/postgres-url.ts'
import { analystUrl, replicaUrl, roleUrl, userOf } from '../src/database/roles.ts'

const own = { SECRET_KEY: 'k'.repeat(32) }
const two = 'postgresql://admin:hunter%202@a.example:5433,b.example/studio'

const read = (DATABASE_URL: string, more: Record<string, string> = {}) => readConfig({ ...own, DATABASE_URL, ...more })

it('reads several hosts, each with its port, in the order in which they are given', () => {
  expect(readPostgresUrl(two)).toMatchObject({
    hosts: [
      { host: 'a.example', port: 5433 },
      { host: 'b.example', port: 5432 },
    ],
    kind: 'any',
    connectTimeoutMs: undefined,
  })
  expect(hostsText('postgres://[::1]:6000,%2Frun%2Fpg:6001,10.0.0.1/x')).toBe('[::1]:6000,/run/pg:6001,10.0.0.1:5432')
})

it('reads hosts and ports in the parameters: one port for all, or one for each', () => {
  expect(hostsText('postgresql:///x?host=a,b&port=1,2')).toBe('a:1,b:2')
  expect(hostsText('postgresql:///x?host=a,/run&port=7')).toBe('a:7,/run:7')
  expect(hostsText('postgresql:///x?host=::1,b')).toBe('[::1]:5432,b:5432')
})

it('writes them as libpq and URL read them', () => {
  const { url } = readPostgresUrl(`${two}?sslmode=verify-full`, 'primary')
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    sslmode: 'verify-full',
    user: 'admin',
    password: 'hunter 2',
    host: 'a.example,b.example',
    port: '5433,5432',
    target_session_attrs: 'primary',
  })
  expect(url).toMatch(/^postgresql:\/\/\/studio\?/)
  expect(url).not.toContain('+')
  expect(readPostgresUrl(url).url).toBe(url)
})

it('leaves a URL with one host as it is', () => {
  const one = 'postgres://u:p+w@host/db?options=-c%20a=b&target_session_attrs=primary'
  expect(readPostgresUrl(one)).toMatchObject({ url: one, kind: 'primary', hosts: [{ host: 'host', port: 5432 }] })
})

test.each(serverKinds)('target_session_attrs=%s is known', (kind) => {
  expect(readPostgresUrl(`${two}?target_session_attrs=${kind}`).kind).toBe(kind)
})

it('takes connect_timeout in seconds, of which libpq needs two', () => {
  const timeout = (value: string) => readPostgresUrl(`${two}?connect_timeout=${value}`).connectTimeoutMs
  expect(['3', '1', '0', ''].map(timeout)).toEqual([3_000, 2_000, undefined, undefined])
})

test.each([
  ['a:5432,,b/db', /one of its hosts is empty/],
  ['a,/db', /one of its hosts is empty/],
  ['a:5432,b:99999/db', /the port of host "b" is not a number from 1 to 65535/],
  ['a:x,b/db', /the port of host "a" is not/],
  ['a,b', /give a PostgreSQL URL with a database name/],
  ['a,b%zz/db', /give a PostgreSQL URL/],
  ['a,b/db?target_session_attrs=master', /target_session_attrs is "master": give one of any, read-write, read-only/],
  ['a,b/db?connect_timeout=3s', /connect_timeout is "3s": give whole seconds/],
  ['a,b,c/db?port=1,2', /it has 2 ports for 3 hosts/],
])('%s is refused, naming the variable and not the password', (rest, reason) => {
  for (const name of ['DATABASE_URL', 'WRITER_DATABASE_URL', 'AUDITOR_DATABASE_URL', 'REPLICA_DATABASE_URLS']) {
    const given = `postgresql://admin:hunter2@${rest}`
    const complaint = () => read('postgresql://one/db', { [name]: given })
    expect(complaint).toThrow(reason)
    expect(complaint).toThrow(new RegExp(`^${name}: `))
    expect(complaint).not.toThrow('hunter2')
  }
})

it('asks several hosts for a server that can be written to, and those who only read for the primary', () => {
  const config = read(two, { AUDITOR_DATABASE_URL: two, API_DATABASE_URL: two })
  const kindOf = (url: string | undefined) => readPostgresUrl(url ?? '').kind
  expect(kindOf(config.databaseUrl)).toBe('read-write')
  expect(kindOf(config.audit.url)).toBe('primary')
  expect(kindOf(config.roleUrls.studio_api)).toBe('primary')
  expect(kindOf(read(`${two}?target_session_attrs=any`).databaseUrl)).toBe('any')
  // Every session of these logins is read-only, so that to them no server would be a read-write one.
  for (const role of ['studio_api', 'studio_graphql'] as const) {
    expect(kindOf(roleUrl(config.databaseUrl ?? '', role, own.SECRET_KEY))).toBe('primary')
  }
  expect(kindOf(roleUrl(config.databaseUrl ?? '', 'studio_writer', own.SECRET_KEY))).toBe('read-write')
  expect(kindOf(analystUrl(config.databaseUrl ?? '', 'analyst_1', 'secret'))).toBe('primary')
})

it('a login of another name goes to the same hosts', () => {
  const { databaseUrl = '' } = read(two)
  const url = roleUrl(databaseUrl, 'studio_recorder', own.SECRET_KEY)
  expect([userOf(url), hostsText(url)]).toEqual(['studio_recorder', 'a.example:5433,b.example:5432'])
})

it('replicas are a list of URLs, each of which may have several hosts of any kind', () => {
  const { replicaUrls } = read('postgres://one/db', {
    REPLICA_DATABASE_URLS:
      'postgres://c:1,d:2/db?target_session_attrs=prefer-standby, postgresql://e,f/db,postgres://g/db',
  }).scaling
  expect(replicaUrls.map(hostsText)).toEqual(['c:1,d:2', 'e:5432,f:5432', 'g:5432'])
  expect(replicaUrls.map((url) => readPostgresUrl(url).kind)).toEqual(['prefer-standby', 'any', 'any'])
  const url = replicaUrl(replicaUrls[0] ?? '', 'postgresql:///db?host=x,y&user=studio_api&password=s')
  expect([userOf(url), hostsText(url)]).toEqual(['studio_api', 'c:1,d:2'])
})
