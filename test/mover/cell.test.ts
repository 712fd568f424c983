import { afterAll, beforeAll, expect, test } from 'vitest'
import { inCell, unlogged } from '../../src/apps/mover/cell.ts'
import { compareCopies } from '../../src/apps/mover/compare-copies.ts'
import { asAdmin, createTestDatabase, type TestDatabase, withClient } from '../support/server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const cell = () => ({ name: 'eu1', url: database.adminUrl })
const anyStudio = '6dd3b8a0-0f7e-4d0e-9f0c-2d3c3a1f9a11'

test('no limit of the server ends the sessions of a move', async () => {
  const limits = `select name from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout')`
  const names = await asAdmin(database, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(limits)
    for (const { name } of rows) await admin.query(`alter database ${database.name} set ${name} = '1h'`)
    return rows.map(({ name }) => name)
  })
  expect(names).toContain('idle_session_timeout')
  const set = await inCell(cell(), async ({ client }) => {
    const { rows } = await client.query(`select name from (${limits}) n where current_setting(name) <> '0'`)
    return rows
  })
  expect(set).toEqual([])
  await asAdmin(database, (admin) => admin.query(`alter database ${database.name} reset all`))
})

test('what contains a password reaches no log and no statistics of statements, whichever extension keeps them', async () => {
  const settings = ['log_statement', 'pg_stat_statements.track', 'auto_explain.log_min_duration', 'pgaudit.log']
  await inCell(cell(), async ({ client }) => {
    const values = async () => {
      const { rows } = await client.query('select current_setting(n, true) as value from unnest($1::text[]) n', [
        settings,
      ])
      return rows.map(({ value }) => value || null)
    }
    const before = await values()
    expect(await unlogged(client, values)).toEqual(['none', 'none', '-1', 'none'])
    expect(await values()).toEqual(before)
  })
})

test('a comparison that takes too long fails, and writes go on', async () => {
  await withClient(database.adminUrl, async (holding) => {
    await holding.query('begin')
    await holding.query('lock table app.items in access exclusive mode')
    await inCell(cell(), (one) =>
      inCell(cell(), async (two) => {
        await expect(compareCopies(one, two, anyStudio, performance.now() + 300)).rejects.toThrow(
          'the copies could not be compared in time',
        )
        expect((await one.client.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
        await holding.query('rollback')
        expect(await compareCopies(one, two, anyStudio, performance.now() + 30_000)).toBe(0)
      }),
    )
  })
})
