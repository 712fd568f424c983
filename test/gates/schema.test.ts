import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compile } from 'graphile-migrate'
import { describe, expect, it } from 'vitest'
import { gateMessage, rewritten } from '../support/gate-message.ts'
import { asAdmin, lockRoles, useDatabase } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')
const manifest = readFile(join(root, 'sql/all.sql'), 'utf8')

const amiss = (wrong: string, edit: string, run = 'npx vitest run test/gates/schema.test.ts') =>
  gateMessage({ wrong, edit, run })

const database = useDatabase()

/** The schema as sorted lines of text, the same on every supported server version. */
async function dumpSchema(): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, 'dump.sql'), 'utf8')
  return asAdmin(database, async (admin) => (await admin.query<{ line: string }>(text)).rows.map(({ line }) => line))
}

describe('the schema', () => {
  it('made by the committed migrations on an empty database equals the checked-in dump', async () => {
    const dump = await dumpSchema()
    const wrong = rewritten('test/gates/schema.txt', 'the migrations install')
    await expect(`${dump.join('\n')}\n`, wrong).toMatchFileSnapshot('schema.txt')
  })

  it('reads the same after it was dumped and restored', async () => {
    const definitions = `select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition from pg_proc p
      where p.prosqlbody is not null and p.pronamespace in (
        select oid from pg_namespace where nspname in ('app', 'access', 'valuation', 'console', 'api_v1', 'service', 'audit'))
      order by 1`
    await asAdmin(database, async (admin) => {
      await admin.query('begin')
      const { rows: before } = await admin.query<{ name: string; definition: string }>(definitions)
      for (const { definition } of before) await admin.query(definition)
      const { rows: after } = await admin.query<{ name: string; definition: string }>(definitions)
      await admin.query('rollback')
      const changed = before.filter(({ definition }, index) => definition !== after[index]?.definition)
      const wrong = amiss(
        'PostgreSQL writes a function down in other words when it is made again: the audit would find it after a restore',
        'sql/: say it without what is expanded, such as a comparison of rows by IS DISTINCT FROM',
      )
      expect(changed, wrong).toEqual([])
    })
  })

  it('shows outsiders exactly the checked-in surface', async () => {
    // The objects of api_v1, service and audit, without bodies, and every grant.
    const shown = /^(?:column|view|function) (?:api_v1|service|audit)\.|^grant /
    const surface = (await dumpSchema()).filter((line) => shown.test(line)).map((line) => line.replace(/ body=\w+/, ''))
    const wrong = rewritten('test/gates/surface.txt', 'outsiders can see or do')
    await expect(`${surface.join('\n')}\n`, wrong).toMatchFileSnapshot('surface.txt')
  })

  it('does not change when sql/all.sql runs again: sql/ is what is installed', async () => {
    const before = await dumpSchema()
    const { adminUrl: connectionString } = database
    const settings = { connectionString, databaseOwner: 'studio_owner', migrationsFolder: join(root, 'migrations') }
    const text = await compile(settings, await manifest)
    await asAdmin(database, (admin) => admin.query(`begin; ${lockRoles}; ${text}; commit`)).catch((cause: Error) => {
      const edit = 'the file of sql/ that this is about; a column of a view can only be added at its end'
      throw new Error(amiss(`sql/all.sql cannot be run: ${cause.message}`, edit), { cause })
    })
    const wrong = amiss(
      'sql/ is not what the migrations install: a change in it has no migration, or a migration leaves a file out',
      'migrations/current.sql: --!include each file of sql/ that changed',
      "npm run commit-migration -- 'what changes'",
    )
    expect(await dumpSchema(), wrong).toEqual(before)
  })
})

describe('the manifest', () => {
  it('names every file of sql/ once and no other', async () => {
    const included = [...(await manifest).matchAll(/^--!include (\S+)$/gm)].map((match) => match[1])
    const files = (await readdir(join(root, 'sql'), { recursive: true })).filter(
      (file) => file.endsWith('.sql') && file !== 'all.sql',
    )
    const edit = 'sql/all.sql: a line for each file, where it can be installed'
    const wrong = amiss('sql/all.sql is not the list of the files of sql/', edit)
    expect(included.toSorted(), wrong).toEqual(files.toSorted())
  })

  it('is the folder that migrations include from', async () => {
    const viaMigrations = await readFile(join(root, 'migrations/fixtures/all.sql'), 'utf8')
    const edit = 'nothing: it is a symbolic link in the repository'
    const wrong = amiss('migrations/fixtures does not lead to sql/', edit, 'git checkout migrations/fixtures')
    expect(viaMigrations, wrong).toBe(await manifest)
  })
})
