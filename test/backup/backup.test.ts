import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { asTested } from '../audit/findings.ts'
import type { TestCluster } from '../support/cluster.ts'
import { useFolder } from '../support/folder.ts'
import { databaseUrl } from '../support/server.ts'
import {
  type Answer,
  answersOf,
  bash,
  block,
  installCommand,
  lists,
  startServer,
  surroundings,
} from './installation.ts'

const [oldKey, newKey] = ['the secret key before the disaster, long', 'the secret key after the disaster, longer']

const temporary = useFolder()
let folder: string
let [before, after]: (TestCluster | undefined)[] = []
/** Its token, and what the service answered before, by path. */
let access: { token: string; studio: string }
let answers: Record<string, Answer>

beforeAll(async () => {
  folder = temporary.path
  await installCommand(folder)
  before = await startServer(15)
  // An upgrade from 15 to 18.
  after = await startServer(18)
  await withClient(before.adminUrl, (admin) => admin.query('create database inventory'))
  await bash('studio-inventory migrate && studio-inventory demo', at(before, oldKey, 'before'))
  access = JSON.parse(await readFile(join(folder, 'before/demo.json'), 'utf8'))
  await bash(`studio-inventory analyst create --studio '${access.studio}'`, at(before, oldKey, 'before'))
  answers = await answersOf(databaseOf(before), oldKey, access.token)
})

afterAll(() => Promise.all([before?.stop(), after?.stop()]))

describe('the commands of docs/operating.md', () => {
  it('make a backup', async () => {
    await bash(await block('Backup'), at(before, oldKey, 'before'))
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['inventory.dump', 'roles.sql', 'photos.tar.gz']))
  })

  it('restore it on a server of a newer major version with another SECRET_KEY, and the audit finds nothing', async () => {
    expect([await versionOf(before), await versionOf(after)]).toEqual([15, 18])
    await mkdir(join(folder, 'after/photos'), { recursive: true })
    const output = await bash(await block('Restore'), {
      ...at(after, newKey, 'after'),
      AUDIT_ACCEPT: asTested.join(','),
    })
    expect(output).toContain('closed functions and languages that this server left open to everybody')
    expect(output).toContain('The database is up to date.')
    expect(await readdir(join(folder, 'after/photos'))).toEqual(await readdir(join(folder, 'before/photos')))
  })
})

describe('after the restore', () => {
  it('a token of before gets the same answer from every list, to the byte', async () => {
    expect(Object.values(answers).map(({ status }) => status)).toEqual(lists.map(() => 200))
    const now = await answersOf(databaseOf(after), newKey, access.token)
    expect(lists.filter((path) => now[path]?.body !== answers[path]?.body)).toEqual([])
  })

  it('the logins have the passwords of the new key and not those of the old', async () => {
    const log = (key: string) => withClient(roleUrl(databaseOf(after), 'studio_api', key), async () => 'in')
    expect(await log(newKey)).toBe('in')
    await expect(log(oldKey)).rejects.toThrow('password authentication failed')
  })

  it('analysts have the logins and the passwords they had', async () => {
    const verifiers = (cluster?: TestCluster) =>
      withClient(databaseOf(cluster), async (admin) => {
        const stored = "select rolname, rolpassword from pg_authid where rolname like 'analyst%' order by 1"
        return (await admin.query(stored)).rows
      })
    expect(await verifiers(before)).toHaveLength(1)
    expect(await verifiers(after)).toEqual(await verifiers(before))
  })

  it('values are still derived, under the rules that were restored', async () => {
    const text = 'select valuation.refresh_due(studio_hash) from app.studios'
    expect((await withClient(databaseOf(after), (admin) => admin.query(text))).rowCount).toBeGreaterThan(0)
  })
})

it('what pg_upgrade would carry over says nothing of the server’s functions, after the documented command', async () => {
  const [command = ''] = (await block('A newer major version of PostgreSQL')).split('\n')
  const carried = async () =>
    (await bash('pg_dump --binary-upgrade --schema-only --dbname="$DATABASE_URL"', at(before, oldKey, 'before')))
      .split('\n')
      .filter((line) => /^(grant|revoke) .* on function pg_catalog\./i.test(line))
  expect(await carried()).not.toEqual([])
  await bash(command, at(before, oldKey, 'before'))
  expect(await carried()).toEqual([])
  await bash('studio-inventory migrate && studio-inventory audit', {
    ...at(before, oldKey, 'before'),
    AUDIT_ACCEPT: asTested.join(','),
  })
})

const databaseOf = (cluster?: TestCluster, name = 'inventory') => databaseUrl(cluster?.adminUrl ?? '', name)

const versionOf = (cluster?: TestCluster) =>
  withClient(databaseOf(cluster, 'postgres'), async (admin) => {
    const { rows } = await admin.query(`select current_setting('server_version_num')::integer / 10000 as major`)
    return rows[0].major
  })

const at = (cluster: TestCluster | undefined, key: string, place: string) =>
  surroundings(folder, cluster?.adminUrl ?? '', key, place)
