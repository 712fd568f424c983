import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { asTested } from '../audit/findings.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { useFolder } from '../support/folder.ts'
import { databaseUrl } from '../support/server.ts'

const project = join(import.meta.dirname, '../..')
const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'
const [oldKey, newKey] = ['the secret key before the disaster, long', 'the secret key after the disaster, longer']

const temporary = useFolder()
let folder: string
let [before, after]: (TestCluster | undefined)[] = []
/** What the service answered before. */
let items: unknown
let access: { token: string; studio: string }

beforeAll(async () => {
  folder = temporary.path
  const shim = `#!/bin/sh\nexec ${process.execPath} ${project}/src/cli/main.ts "$@"\n`
  await writeFile(join(folder, 'studio-inventory'), shim, { mode: 0o755 })
  const env = { ...process.env, TEST_POSTGRES_BIN: programs, TEST_DATABASE_URL: '' }
  before = await startCluster(env)
  after = await startCluster(env)
  await withClient(before.adminUrl, (admin) => admin.query('create database inventory'))
  await bash('studio-inventory migrate && studio-inventory demo', surroundings(before, oldKey, 'before'))
  access = JSON.parse(await readFile(join(folder, 'before/demo.json'), 'utf8'))
  await bash(`studio-inventory analyst create --studio '${access.studio}'`, surroundings(before, oldKey, 'before'))
  items = await answerOf(before, oldKey)
})

afterAll(() => Promise.all([before?.stop(), after?.stop()]))

describe('the commands of docs/operating.md', () => {
  it('make a backup', async () => {
    await bash(await block('Backup'), surroundings(before, oldKey, 'before'))
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['inventory.dump', 'roles.sql', 'photos.tar.gz']))
  })

  it('restore it on another server with another SECRET_KEY, and the audit finds nothing', async () => {
    await mkdir(join(folder, 'after/photos'), { recursive: true })
    const output = await bash(await block('Restore'), {
      ...surroundings(after, newKey, 'after'),
      AUDIT_ACCEPT: asTested.join(','),
    })
    expect(output).toContain('The database is up to date.')
    expect(await readdir(join(folder, 'after/photos'))).toEqual(await readdir(join(folder, 'before/photos')))
  })
})

describe('after the restore', () => {
  it('a token of before gives the same answer', async () => {
    expect(items).toMatchObject({ status: 200 })
    expect(await answerOf(after, newKey)).toEqual(items)
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
    execFile('bash', ['--norc', '-euo', 'pipefail', '-c', lines], { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${error.message}\n${stdout}${stderr}`))
    })
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

/** What the database answers to the demo's token, as studio_api. */
async function answerOf(cluster: TestCluster | undefined, key: string): Promise<unknown> {
  return withClient(roleUrl(databaseOf(cluster), 'studio_api', key), async (client) => {
    await client.query('begin')
    const session = await client.query(`select * from access.open_session(sha256(convert_to($1, 'UTF8')), null)`, [
      access.token,
    ])
    const items = await client.query('select document from service.item_documents order by id')
    await client.query('commit')
    const { status, studio_id: studio } = session.rows[0]
    return { status, studio, documents: items.rows.map(({ document }) => document) }
  })
}
