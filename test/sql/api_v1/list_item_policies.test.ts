import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
})

const uuid = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`

type Assignment = { policy_id: string; policy_name: string | null; is_primary: boolean }

const ask = async (id: string | null = item, of = studio) => {
  const answer = await of.ask('list_item_policies', id)
  return { ...answer, assignments: parsed<Assignment>(answer) }
}

describe('the assignments of an item', () => {
  test('have exactly the fields of the contract', async () => {
    await studio.add('policies', { id: uuid(1), name: 'Floater' })
    await studio.add('policy_assignments', {
      ...{ item_id: item, policy_id: uuid(1), declared_value: '1200.5', is_primary: true, notes: 'SECRET' },
      ...{ effective_start: '2026-01-01', effective_end: '2026-12-31' },
    })
    expect((await ask()).data).toBe(
      `{"policy_id":"${uuid(1)}","policy_name":"Floater","declared_value":1200.50,"is_primary":true,` +
        `"effective_start":"2026-01-01","effective_end":"2026-12-31"}`,
    )
  })

  test('come with the primary one first, the others by policy id', async () => {
    for (const n of [4, 1, 3, 2]) {
      await studio.add('policies', { id: uuid(n) })
      await studio.add('policy_assignments', { item_id: item, policy_id: uuid(n), is_primary: n === 3 })
    }
    const { assignments } = await ask()
    expect(assignments.map((one) => one.policy_id)).toEqual([3, 1, 2, 4].map(uuid))
    expect(assignments.map((one) => one.is_primary)).toEqual([true, false, false, false])
  })

  test('under one policy come in one order, whatever the order they were written in', async () => {
    const orders: unknown[] = []
    for (const starts of [
      ['2026-01-01', null, '2024-01-01'],
      ['2024-01-01', '2026-01-01', null],
    ]) {
      const [policy_id, id] = [await studio.add('policies'), await studio.add('items')]
      for (const effective_start of starts)
        await studio.add('policy_assignments', { item_id: id, policy_id, effective_start })
      orders.push((await ask(id)).assignments.map((one) => (one as { effective_start?: unknown }).effective_start))
    }
    expect(orders[0]).toEqual(orders[1])
  })

  test('that differ in nothing but their declared value come in one order as well', async () => {
    const orders: unknown[] = []
    for (const values of [
      ['1.00', '2.00', null, '3.00'],
      ['3.00', null, '2.00', '1.00'],
    ]) {
      const [policy_id, id] = [await studio.add('policies'), await studio.add('items')]
      for (const declared_value of values)
        await studio.add('policy_assignments', { item_id: id, policy_id, declared_value })
      orders.push((await ask(id)).assignments.map((one) => (one as { declared_value?: unknown }).declared_value))
    }
    expect(orders[0]).toEqual(orders[1])
  })

  test('include those to archived, expired and future policies, and those outside their own window', async () => {
    const policies = [
      { archived_at: '2020-01-01T00:00:00Z' },
      { effective_start: '2019-01-01', effective_end: '2019-12-31' },
      { effective_start: '2999-01-01' },
      {},
    ]
    for (const columns of policies) {
      const policy_id = await studio.add('policies', columns)
      await studio.add('policy_assignments', { item_id: item, policy_id, effective_end: '2001-01-01' })
    }
    expect((await ask()).assignments).toHaveLength(4)
  })

  test('are those of this item alone', async () => {
    const [other, policy_id] = [await studio.add('items'), await studio.add('policies')]
    await studio.add('policy_assignments', { item_id: other, policy_id })
    expect(await ask()).toMatchObject({ status: 200, data: '', photo_keys: null })
  })

  test('show null for the name of a policy that is gone', async () => {
    const policy_id = await studio.add('policies', { name: 'Gone' })
    await studio.add('policy_assignments', { item_id: item, policy_id, declared_value: 7 })
    await sql.admin.rows(`set session_replication_role = replica`)
    await sql.admin.rows('delete from app.policies where id = $1', [policy_id])
    await sql.admin.rows(`set session_replication_role = origin`)
    expect((await ask()).assignments).toMatchObject([{ policy_id, policy_name: null, declared_value: 7 }])
  })
})

describe('404', () => {
  const missing = { status: 404, data: null, photo_keys: null }

  test('for a malformed, an unknown, another studio’s and an archived item alike', async () => {
    const stranger = await sql.studio()
    const theirs = await stranger.add('items')
    const archived = await studio.add('items', { archived_at: '2026-01-01T00:00:00Z' })
    for (const id of [null, uuid(9), theirs, archived]) expect(await ask(id), String(id)).toMatchObject(missing)
  })

  const columns = '(studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)'
  afterEach(() => sql.admin.rows(`grant select ${columns} on app.policy_assignments to studio_api`))

  test('is checked before any assignment is read', async () => {
    const stranger = await sql.studio()
    const theirs = await stranger.add('items')
    await stranger.add('policy_assignments', { item_id: theirs, policy_id: await stranger.add('policies') })
    const archived = await studio.add('items', { archived_at: '2026-01-01T00:00:00Z' })
    await sql.admin.rows(`revoke select ${columns} on app.policy_assignments from studio_api`)
    // To read an assignment is an error now, as the item's own request shows.
    await expect(ask()).rejects.toMatchObject({ code: '42501' })
    for (const id of [null, uuid(9), theirs, archived]) expect(await ask(id), String(id)).toMatchObject(missing)
  })
})
