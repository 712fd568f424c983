import { beforeAll, describe, expect, test } from 'vitest'
import { withStudioWriter } from '../../src/importer/staging.ts'
import { inStudio, type Studio } from '../sql/support.ts'
import { expectDone, type KindName, useImporter } from './support.ts'

const importer = useImporter()

const file = (keys: string) => `external_key,name\n${[...keys].map((key) => `${key},${key}\n`).join('')}`

describe.each(['items', 'policies'] as const)('--archive-missing for %s', (kind) => {
  const live = async (studio: Studio) =>
    (await importer.rows<{ key: string }>(studio, kind, 'external_key as key, archived_at'))
      .filter((row) => Reflect.get(row, 'archived_at') === null)
      .map((row) => row.key)
      .join('')

  test('archives what the file no longer has, after its number was agreed to', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('ABCD'))
    const asked: number[] = []
    const archiveMissing = async (rows: number) => asked.push(rows) > 0
    const done = { rows: 2, unchanged: 2, archived: 2 }
    expectDone(await importer.into(studio, kind, file('AC'), { archiveMissing }), done)
    expect(asked).toEqual([2])
    expect(await live(studio)).toBe('AC')
    const version = await studio.dataVersion()
    expectDone(await importer.into(studio, kind, file('AC'), { archiveMissing }), { unchanged: 2, archived: 0 })
    expect(asked).toEqual([2])
    expect(await studio.dataVersion()).toBe(version)
  })

  test('writes nothing at all when it is declined', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    const outcome = await importer.into(studio, kind, file('BX'), { archiveMissing: async () => false })
    expect(outcome).toMatchObject({ declined: true, added: 0, archived: 0 })
    expect(await live(studio)).toBe('AB')
  })

  test('is not asked about when something is wrong, and refuses a file without rows', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    expect(
      await importer.wrong(studio, kind, file('BB'), { archiveMissing: () => Promise.reject(new Error('asked')) }),
    ).toHaveLength(1)
    const empty = importer.into(studio, kind, 'external_key,name\n', { archiveMissing: async () => true })
    await expect(empty).rejects.toThrow('the file has no rows')
    expect(await live(studio)).toBe('AB')
  })

  test('a dry run says how many and keeps them', async () => {
    const studio = await importer.studio()
    await importer.into(studio, kind, file('AB'))
    const outcome = await importer.into(studio, kind, file('AX'), {
      dryRun: true,
      archiveMissing: () => Promise.reject(new Error('asked')),
    })
    expectDone(outcome, { added: 1, unchanged: 1, archived: 1 })
    expect(await live(studio)).toBe('AB')
  })
})

let studio: Studio
let other: Studio
const foreign = { item: '', location: '', policy: '' }

beforeAll(async () => {
  studio = await importer.studio()
  other = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nROOM,Live room\nT1,Twin\nT2,Twin\n')
  await importer.into(studio, 'items', 'external_key,name\nMINE,Mine\n')
  foreign.location = await other.add('locations', { external_key: 'THEIRS', name: 'Their room' })
  foreign.item = await other.add('items', { external_key: 'THEIR-ITEM', name: 'Their item' })
  foreign.policy = await other.add('policies', { external_key: 'THEIR-POLICY', name: 'Their policy' })
})

describe('what belongs to another studio', () => {
  test.each<[kind: KindName, file: (given: string) => string, theirs: () => string[]]>([
    [
      'items',
      (given) => `external_key,name,location\nA,a,${given}\n`,
      () => [foreign.location, 'THEIRS', 'Their room'],
    ],
    [
      'assignments',
      (given) => `external_key,item,policy\nA,${given},${given}\n`,
      () => [foreign.item, 'THEIR-ITEM', foreign.policy, 'THEIR-POLICY'],
    ],
    ['maintenance', (given) => `external_key,item,title\nA,${given},x\n`, () => [foreign.item, 'THEIR-ITEM']],
    ['market-values', (given) => `item,value,as_of\n${given},1,2024-01-01\n`, () => [foreign.item, 'THEIR-ITEM']],
  ])('is refused in %s exactly like what is unknown', async (kind, file, theirs) => {
    /** What the import says about a reference, without the text of the reference. */
    const said = async (given: string) =>
      (await importer.wrong(studio, kind, file(given))).map((sentence) => sentence.replaceAll(given, '<given>'))
    const unknown = await said('00000000-0000-4000-8000-000000000000')
    expect(unknown.length).toBeGreaterThan(0)
    for (const given of theirs()) expect(await said(given)).toEqual(unknown)
  })

  test('may have the same external keys: each file touches its own studio', async () => {
    const before = await other.get('items', foreign.item)
    const outcome = await importer.into(studio, 'items', 'external_key,name\nTHEIR-ITEM,Ours\n')
    expect(outcome).toMatchObject({ added: 1, changed: 0 })
    expect(await other.get('items', foreign.item)).toEqual(before)
  })
})

const refused = (work: Promise<unknown>, code = '42501') => expect(work).rejects.toMatchObject({ code })

describe('the staging tables', () => {
  test.each([
    'create temporary table mine (id uuid)',
    'create domain pg_temp.uuid as pg_catalog.uuid check (false)',
    'create type pg_temp.text as (a integer)',
    'create view pg_temp.v as select 1',
  ])('are the owner’s: studio_writer makes nothing of its own, not even while they are there: %s', async (text) => {
    const studio = await importer.studio()
    await refused(importer.writer.rows(text))
    const opened = inStudio(importer.writer, studio, async (session) => {
      await session.rows(`select app.open_import('items')`)
      await session.rows(text)
    })
    await refused(opened)
  })

  test("are opened only by studio_writer, in a studio's session, for an importable table", async () => {
    const studio = await importer.studio()
    for (const session of [importer.writer, importer.api])
      await refused(session.rows(`select app.open_import('items')`))
    const open = (table: string | null) =>
      inStudio(importer.writer, studio, (session) => session.rows('select app.open_import($1)', [table]))
    for (const table of ['item_counts', 'items; drop table app.items', '', null]) {
      await refused(open(table), '22023')
    }
  })
})

test('a transaction of studio_writer may do nothing for 20 s, and an import for ten minutes, in which somebody confirms', async () => {
  const studio = await importer.studio()
  const limit = 'show idle_in_transaction_session_timeout'
  expect(await importer.writer.value(limit)).toBe('20s')
  await inStudio(importer.writer, studio, async (session) => {
    await session.rows(`select app.open_import('items')`)
    expect(await session.value(limit)).toBe('10min')
  })
  expect(await importer.writer.value(limit)).toBe('20s')
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

test('a row that somebody else adds meanwhile gives a plain error, and nothing is written', async () => {
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
      await importer.admin.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and usename = 'studio_writer' and state = 'idle in transaction'`,
      )
      return true
    },
  })
  await expect(outcome).rejects.toThrow()
  expect(await importer.rows(studio, 'items', 'external_key')).toEqual([{ external_key: 'OLD' }])
})
