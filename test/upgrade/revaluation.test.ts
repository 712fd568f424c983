import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { inTransaction } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { refreshValuation } from '../../src/process/valuation.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { nextRelease } from './release.ts'

/** The last migration whose declining methods took off a monthly rate. */
const monthly = '000017'

const log = makeLogger({ level: 'silent' })
const { adminUrl, run } = inject('testServer')
const name = `${run}_revaluation`
const url = databaseUrl(adminUrl, name)

type Shown = { name: string; value: string; updated_at: Date }

/** What the API shows of the items, by their names, and the studio's data version. */
const shown = async () => {
  const [items, versions] = await withClient(url, async (admin) => [
    (
      await admin.query<Shown>(
        `select i.name, v.current_estimated_value as value, i.updated_at
         from app.items i join app.item_valuations v on v.item_id = i.id order by i.name`,
      )
    ).rows,
    (await admin.query<{ version: string }>('select sum(version) as version from app.data_versions')).rows,
  ])
  return { items: new Map(items.map((item) => [item.name, item])), version: Number(versions[0]?.version) }
}

beforeAll(async () => {
  await withClient(adminUrl, (admin) => admin.query(`create database ${name}`))
  const folder = await nextRelease('')
  for (const file of await readdir(join(folder, 'committed'))) {
    if (file.slice(0, 6) > monthly) await rm(join(folder, 'committed', file))
  }
  await migrate(url, testSecretKey, log, folder)
  await rm(folder, { recursive: true })
  await inTransaction(url, async (admin) => {
    await admin.query(
      `select set_config('studio.id', access.create_studio('Old', 'o@old.example', 'Olga')::text, true)`,
    )
    await admin.query(
      `insert into app.items
         (studio_id, name, purchase_price, depreciation_method, acquisition_date, useful_life_months, residual_value)
       select access.current_studio_id(), c.name, 10000, c.method,
         (access.current_studio_today() - make_interval(months => c.age))::date, 60, c.residual
       from (values ('a year old', 'double_declining_balance', 12, 0), ('straight', 'straight_line', 12, 0),
         ('new', 'double_declining_balance', 0, 0), ('written off', 'double_declining_balance', 70, 0),
         ('at its residual value', 'declining_balance', 70, 9000)) as c (name, method, age, residual)`,
    )
  })
})
afterAll(() => withClient(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`)))

it('after an upgrade the first refresh moves what shows another value, and nothing else', async () => {
  const before = await shown()
  expect(before.items.get('a year old')?.value).toBe('6657.65')
  expect(await migrate(url, testSecretKey, log)).toContain('000018.sql')
  expect(await shown()).toEqual(before)

  expect(await refreshValuation(url)).toBe(2)
  const after = await shown()
  expect(after.version).toBeGreaterThan(before.version)
  expect([...after.items.values()].map(({ name: item, value }) => [item, value])).toEqual([
    ['a year old', '6000.00'],
    ['at its residual value', '9000.00'],
    ['new', '10000.00'],
    ['straight', '8000.00'],
    ['written off', '0.00'],
  ])
  const moved = [...after.items].filter(([item, { updated_at }]) => {
    const then = before.items.get(item)?.updated_at ?? updated_at
    return updated_at > then
  })
  expect(moved.map(([item]) => item)).toEqual(['a year old', 'written off'])
  expect(await refreshValuation(url)).toBe(0)
})
