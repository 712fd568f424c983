import { describe, expect, test } from 'vitest'
import { withStudioWriter } from '../../src/database/session.ts'
import { inStudio } from '../sql/support.ts'
import { asAdmin, asRole } from '../support/server.ts'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()

const state = (error: unknown): string | undefined => Reflect.get(error as object, 'code')

describe('the staging tables', () => {
  test.each([
    'create temporary table mine (id uuid)',
    'create domain pg_temp.uuid as pg_catalog.uuid check (false)',
    'create type pg_temp.text as (a integer)',
    'create view pg_temp.v as select 1',
  ])('are the owner’s: studio_writer makes nothing of its own, not even while they are there: %s', async (text) => {
    const studio = await importer.studio()
    await expect(importer.writer.rows(text)).rejects.toSatisfy((error) => state(error) === '42501')
    await expect(
      inStudio(importer.writer, studio, async (session) => {
        await session.rows(`select app.open_import('items')`)
        await session.rows(text)
      }),
    ).rejects.toSatisfy((error) => state(error) === '42501')
  })

  test('are opened in the session of a studio, for a table that is imported into, by studio_writer alone', async () => {
    const studio = await importer.studio()
    await expect(importer.writer.rows(`select app.open_import('items')`)).rejects.toSatisfy((e) => state(e) === '42501')
    const open = (table: string | null) =>
      inStudio(importer.writer, studio, (session) => session.rows('select app.open_import($1)', [table]))
    for (const table of ['item_counts', 'items; drop table app.items', '', null]) {
      await expect(open(table)).rejects.toSatisfy((error) => state(error) === '22023')
    }
    await expect(
      asRole(importer.database, 'studio_api', (client) => client.query(`select app.open_import('items')`)),
    ).rejects.toSatisfy((error) => state(error) === '42501')
  })
})

test('one import of a studio at a time; other studios do not wait', async () => {
  const [studio, other] = [await importer.studio(), await importer.studio()]
  const file = 'external_key,name\nA,One\n'
  await withStudioWriter(importer.database.urlFor('studio_writer'), studio.id, async ({ query }) => {
    await query(`select app.open_import('policies')`)
    await expect(importer.into(studio, 'items', file)).rejects.toThrow('another import into this studio is under way')
    expectDone(await importer.into(other, 'items', file), { added: 1 })
  })
  expectDone(await importer.into(studio, 'items', file), { added: 1 })
})

test('a row that somebody else adds meanwhile is no raw SQL error, and nothing is written', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name\nOLD,Old\n')
  const outcome = importer.into(studio, 'items', 'external_key,name\nA,One\nB,Two\n', {
    archiveMissing: async () => {
      await studio.add('items', { external_key: 'B', name: 'Made meanwhile' })
      return true
    },
  })
  await expect(outcome).rejects.toThrow('the rows do not fit what the studio has by now, and nothing was written')
  expect(await importer.rows(studio, 'items', 'external_key, name')).toEqual([
    { external_key: 'B', name: 'Made meanwhile' },
    { external_key: 'OLD', name: 'Old' },
  ])
})

test('a connection that is lost in the middle leaves nothing behind', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name\nOLD,Old\n')
  const outcome = importer.into(studio, 'items', 'external_key,name\nA,One\n', {
    archiveMissing: async () => {
      await asAdmin(importer.database, (admin) =>
        admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and usename = 'studio_writer' and state = 'idle in transaction'`,
        ),
      )
      return true
    },
  })
  await expect(outcome).rejects.toThrow()
  expect(await importer.rows(studio, 'items', 'external_key')).toEqual([{ external_key: 'OLD' }])
})
