import { beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'
import { expectStrictlyIncreasing, momentsBetween } from './moments.ts'

const sql = useSql()
let studio: Studio
let item: string
let floater: string
let umbrella: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
  floater = await studio.add('policies', { name: 'Floater' })
  umbrella = await studio.add('policies', { name: 'Umbrella' })
})

const assign = (policy_id: string, columns = {}) =>
  studio.add('policy_assignments', { item_id: item, policy_id, ...columns })

const counted = async (id: string) =>
  parsed<{ assignments_count: number }>(await studio.ask('get_policy', id))[0]?.assignments_count

/** Whether updated_at of each policy moved while this was done, and the data version. */
async function movedBy(work: () => Promise<unknown>) {
  const moments = async () => [
    await studio.updatedAt('policies', floater),
    await studio.updatedAt('policies', umbrella),
  ]
  const [before, version] = [await moments(), await studio.dataVersion()]
  await work()
  const after = await moments()
  return {
    floater: (after[0] ?? 0) > (before[0] ?? 0),
    umbrella: (after[1] ?? 0) > (before[1] ?? 0),
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
    const other = await studio.add('items')
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

describe('updated_at of a policy', () => {
  test('moves when its number of assignments does', async () => {
    const moved = { floater: true, umbrella: false, version: true }
    let id = ''
    expect(await movedBy(async () => (id = await assign(floater)))).toEqual(moved)
    expect(await counted(floater)).toBe(1)
    expect(await movedBy(() => studio.remove('policy_assignments', id))).toEqual(moved)
    expect(await counted(floater)).toBe(0)
  })

  test('moves for both policies when an assignment changes hands', async () => {
    const id = await assign(floater)
    const move = () => studio.change('policy_assignments', id, { policy_id: umbrella })
    expect(await movedBy(move)).toEqual({ floater: true, umbrella: true, version: true })
    expect([await counted(floater), await counted(umbrella)]).toEqual([0, 1])
  })

  test('stays when the number stays, although the data version moves with what the item shows', async () => {
    const id = await assign(floater)
    const declare = () => studio.change('policy_assignments', id, { declared_value: 100, is_primary: true })
    expect(await movedBy(declare)).toEqual({ floater: false, umbrella: false, version: true })
  })

  test('stays when two assignments change places', async () => {
    await assign(floater)
    await assign(umbrella)
    const swap = () =>
      studio.write((session) =>
        session.rows(`update app.policy_assignments set policy_id = case policy_id when $1 then $2::uuid else $1 end`, [
          floater,
          umbrella,
        ]),
      )
    expect(await movedBy(swap)).toEqual({ floater: false, umbrella: false, version: true })
  })

  test('moves with every single assignment, however fast one follows the other', async () => {
    const add = `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${studio.id}', '${item}', '${floater}')`
    const moments = await studio.write((session) =>
      momentsBetween(
        session,
        Array.from({ length: 100 }, () => add),
        `select updated_at from app.policies where id = '${floater}'`,
      ),
    )
    expectStrictlyIncreasing(moments)
    expect(await counted(floater)).toBe(100)
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
  const before = [await studio.valuation(item), await studio.updatedAt('items', item)]
  await assign(floater, { is_primary: true, declared_value: '999.99' })
  expect([await studio.valuation(item), await studio.updatedAt('items', item)]).toEqual(before)
})
