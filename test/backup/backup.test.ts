import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { type LoginRole, roleUrl } from '../../src/database/roles.ts'
import type { PhotoSigner } from '../../src/photos/signer.ts'
import { asTested } from '../audit/findings.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { useFolder } from '../support/folder.ts'
import { databaseUrl } from '../support/server.ts'
import { startService } from '../support/service.ts'

const project = join(import.meta.dirname, '../..')
const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'
const [oldKey, newKey] = ['the secret key before the disaster, long', 'the secret key after the disaster, longer']

const temporary = useFolder()
let folder: string
let [before, after]: (TestCluster | undefined)[] = []
/** Its token, and what the service answered before, by path. */
let access: { token: string; studio: string }
let answers: Record<string, Answer>

type Answer = { status: number; body: string }

beforeAll(async () => {
  folder = temporary.path
  const shim = `#!/bin/sh\nexec ${process.execPath} ${project}/src/cli/main.ts "$@"\n`
  await writeFile(join(folder, 'studio-inventory'), shim, { mode: 0o755 })
  const env = { ...process.env, TEST_DATABASE_URL: '' }
  before = await startCluster({ ...env, TEST_POSTGRES_BIN: programs })
  // The embedded server: an upgrade from 15 to 18.
  after = await startCluster({ ...env, TEST_POSTGRES_BIN: '' })
  await withClient(before.adminUrl, (admin) => admin.query('create database inventory'))
  await bash('studio-inventory migrate && studio-inventory demo', surroundings(before, oldKey, 'before'))
  access = JSON.parse(await readFile(join(folder, 'before/demo.json'), 'utf8'))
  await bash(`studio-inventory analyst create --studio '${access.studio}'`, surroundings(before, oldKey, 'before'))
  answers = await answersOf(before, oldKey)
})

afterAll(() => Promise.all([before?.stop(), after?.stop()]))

describe('the commands of docs/operating.md', () => {
  it('make a backup', async () => {
    await bash(await block('Backup'), surroundings(before, oldKey, 'before'))
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['inventory.dump', 'roles.sql', 'photos.tar.gz']))
  })

  it('restore it on a server of a newer major version with another SECRET_KEY, and the audit finds nothing', async () => {
    expect([await versionOf(before), await versionOf(after)]).toEqual([15, 18])
    await mkdir(join(folder, 'after/photos'), { recursive: true })
    const output = await bash(await block('Restore'), {
      ...surroundings(after, newKey, 'after'),
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
    const now = await answersOf(after, newKey)
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
    (
      await bash(
        'pg_dump --binary-upgrade --schema-only --dbname="$DATABASE_URL"',
        surroundings(before, oldKey, 'before'),
      )
    )
      .split('\n')
      .filter((line) => /^(grant|revoke) .* on function pg_catalog\./i.test(line))
  expect(await carried()).not.toEqual([])
  await bash(command, surroundings(before, oldKey, 'before'))
  expect(await carried()).toEqual([])
  await bash('studio-inventory migrate && studio-inventory audit', {
    ...surroundings(before, oldKey, 'before'),
    AUDIT_ACCEPT: asTested.join(','),
  })
})

const databaseOf = (cluster?: TestCluster, name = 'inventory') => databaseUrl(cluster?.adminUrl ?? '', name)

function surroundings(cluster: TestCluster | undefined, key: string, place: string): NodeJS.ProcessEnv {
  return {
    PATH: [folder, programs, process.env.PATH].join(delimiter),
    HOME: folder,
    SERVER_URL: databaseOf(cluster, 'postgres'),
    DATABASE_URL: databaseOf(cluster),
    SECRET_KEY: key,
    DATA_DIR: join(folder, place),
    PHOTOS_DIR: join(folder, place, 'photos'),
  }
}

/** Runs lines of a shell in the folder. @throws with what they wrote when one fails */
function bash(lines: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', lines],
      { cwd: folder, env, maxBuffer: 2 ** 25 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr)
        else reject(new Error(`${error.message}\n${stdout}${stderr}`))
      },
    )
  })
}

/** The shell lines under a heading of the page: the first, or the first with a word in them. */
async function block(heading: string, word = ''): Promise<string> {
  const page = await readFile(join(project, 'docs/operating.md'), 'utf8')
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines)
  const found = blocks.find((lines) => lines.includes(word))
  if (found === undefined) throw new Error(`docs/operating.md has no commands under ${heading}`)
  return found
}

const versionOf = (cluster?: TestCluster) =>
  withClient(databaseOf(cluster, 'postgres'), async (admin) => {
    const { rows } = await admin.query(`select current_setting('server_version_num')::integer / 10000 as major`)
    return rows[0].major
  })

const lists = [
  '/v1/account',
  '/v1/items?per_page=100',
  '/v1/items?q=neumann&include=photos',
  '/v1/maintenance?per_page=100',
  '/v1/policies',
  '/v1/valuations?per_page=100',
  '/v1/valuations/summary',
  '/v1/valuations/summary?on=2026-01-31',
  '/v1/removals',
]

/** What the service answers to the demo's token. */
async function answersOf(cluster: TestCluster | undefined, key: string): Promise<Record<string, Answer>> {
  const url = databaseOf(cluster)
  const urlFor = (role: string) => roleUrl(url, role as LoginRole, key)
  const database = { name: 'inventory', adminUrl: url, urlFor, drop: async () => undefined }
  // A signature has the time of the request.
  const signer = (real: PhotoSigner) => ({
    ...real,
    sign: async (photo: string) => `https://photos.example.com/${photo}`,
  })
  const service = await startService(database, { signer })
  try {
    const entries = lists.map(async (path) => {
      const { status, text } = await service.get(path, { token: access.token })
      return [path, { status, body: text }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  } finally {
    await service.stop()
  }
}
