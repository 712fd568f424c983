import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'
import { expectStrictlyIncreasing, momentsBetween } from './moments.ts'

const sql = useSql()
let studio: Studio
let item: string
let other: string
let floater: string
let umbrella: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
  other = await studio.add('items')
  floater = await studio.add('policies', { name: 'Floater' })
  umbrella = await studio.add('policies', { name: 'Umbrella' })
})

const assign = (policy_id: string, columns = {}) =>
  studio.add('policy_assignments', { item_id: item, policy_id, ...columns })

const counted = async (id: string) =>
  parsed<{ assignments_count: number }>(await studio.ask('get_policy', id))[0]?.assignments_count

/** Whether updated_at of each item moved while this was done, and the data version. */
async function movedBy(work: () => Promise<unknown>) {
  const moments = async () => [await studio.updatedAt('items', item), await studio.updatedAt('items', other)]
  const [before, version] = [await moments(), await studio.dataVersion()]
  await work()
  const after = await moments()
  return {
    item: (after[0] ?? 0) > (before[0] ?? 0),
    other: (after[1] ?? 0) > (before[1] ?? 0),
    version: (await studio.dataVersion()) > version,
  }
}

describe('the primary assignment', () => {
  test('is at most one per item', async () => {
    await assign(floater, { is_primary: true })
    await expect(assign(umbrella, { is_primary: true })).rejects.toMatchObject({
      constraint: 'policy_assignments_one_primary',
    })
    const second = await assign(umbrella)
    await expect(studio.change('policy_assignments', second, { is_primary: true })).rejects.toMatchObject({
      code: '23505',
    })
  })

  test('may be another one for another item', async () => {
    await assign(floater, { is_primary: true })
    await expect(assign(floater, { item_id: other, is_primary: true })).resolves.toBeTruthy()
  })

  test('may be none', async () => {
    await assign(floater)
    await assign(umbrella)
    expect(parsed(await studio.ask('list_item_policies', item))).toMatchObject([
      { is_primary: false },
      { is_primary: false },
    ])
  })
})

describe('updated_at of an item', () => {
  const stays = { item: false, other: false, version: true }

  test('moves when an assignment is made, changed or removed', async () => {
    const moved = { ...stays, item: true }
    let id = ''
    expect(await movedBy(async () => (id = await assign(floater)))).toEqual(moved)
    for (const change of [
      { declared_value: 100 },
      { declared_value: null },
      { is_primary: true },
      { policy_id: umbrella },
      { effective_start: '2026-01-01' },
      { effective_end: '2026-12-31' },
    ]) {
      expect(await movedBy(() => studio.change('policy_assignments', id, change)), JSON.stringify(change)).toEqual(
        moved,
      )
    }
    expect(await movedBy(() => studio.remove('policy_assignments', id))).toEqual(moved)
  })

  test('moves for both items when an assignment changes hands', async () => {
    const id = await assign(floater)
    const move = () => studio.change('policy_assignments', id, { item_id: other })
    expect(await movedBy(move)).toEqual({ item: true, other: true, version: true })
  })

  test('stays when nothing changes that is shown', async () => {
    const id = await assign(floater)
    const note = () => studio.change('policy_assignments', id, { notes: 'for us' })
    expect(await movedBy(note)).toEqual(stays)
  })

  test('moves with every single assignment, however fast one follows the other', async () => {
    const add = `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${studio.id}', '${item}', '${floater}')`
    const moments = await studio.write((session) =>
      momentsBetween(
        session,
        Array.from({ length: 100 }, () => add),
        `select updated_at from app.items where id = '${item}'`,
      ),
    )
    expectStrictlyIncreasing(moments)
    expect(await counted(floater)).toBe(100)
  })

  test('two writers of assignments to two policies, each in another order, do not wait for each other', async () => {
    const assignTo = (policy: string, of: string) =>
      `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${studio.id}', '${of}', '${policy}')`
    const colleague = await sql.connect('studio_writer')
    await studio.write(async (first) => {
      await first.rows(assignTo(floater, item))
      await inStudio(colleague, studio, async (second) => {
        await second.rows('set local lock_timeout = 1000')
        await second.rows(assignTo(umbrella, other))
        await second.rows(assignTo(floater, other))
      })
      await first.rows(assignTo(umbrella, item))
    })
    expect([await counted(floater), await counted(umbrella)]).toEqual([2, 2])
  })
})

test('assignments are counted whatever their window, for archived items and archived policies too', async () => {
  await assign(floater, { effective_start: '2001-01-01', effective_end: '2001-12-31' })
  await assign(floater, { effective_start: '2999-01-01' })
  await studio.change('items', item, { archived_at: '2026-01-01T00:00:00Z' })
  await studio.change('policies', floater, { archived_at: '2026-01-01T00:00:00Z' })
  expect(await counted(floater)).toBe(2)
})

test.each([
  ['2026-02-02', '2026-02-01', false],
  ['2026-02-02', '2026-02-02', true],
  ['infinity', null, false],
  ['10000-01-01', null, false],
])('from %s to %s is a window: %s', async (effective_start, effective_end, allowed) => {
  const adding = assign(floater, { effective_start, effective_end })
  if (allowed) await expect(adding).resolves.toBeTruthy()
  else await expect(adding).rejects.toMatchObject({ code: '23514' })
})

test('assignments, policies and their dates do not move a valuation', async () => {
  const before = await studio.valuation(item)
  await assign(floater, { is_primary: true, declared_value: '999.99' })
  expect(await studio.valuation(item)).toEqual(before)
})
