import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'
import { expectStrictlyIncreasing, momentsBetween, movedBy } from './moments.ts'

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

const moved = (work: () => Promise<unknown>) => movedBy(studio, [item, other], work)

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
})

describe('updated_at of an item', () => {
  const stays = { item: false, other: false, version: true }

  test('moves when an assignment is made, changed or removed', async () => {
    const itemAlone = { ...stays, item: true }
    let id = ''
    expect(await moved(async () => (id = await assign(floater)))).toEqual(itemAlone)
    for (const change of [
      { declared_value: 100 },
      { declared_value: null },
      { is_primary: true },
      { policy_id: umbrella },
      { effective_start: '2026-01-01' },
      { effective_end: '2026-12-31' },
    ]) {
      expect(await moved(() => studio.change('policy_assignments', id, change)), JSON.stringify(change)).toEqual(
        itemAlone,
      )
    }
    expect(await moved(() => studio.remove('policy_assignments', id))).toEqual(itemAlone)
  })

  test('moves for both items when an assignment changes hands', async () => {
    const id = await assign(floater)
    const move = () => studio.change('policy_assignments', id, { item_id: other })
    expect(await moved(move)).toEqual({ item: true, other: true, version: true })
  })

  test('stays when nothing changes that is shown', async () => {
    const id = await assign(floater)
    const note = () => studio.change('policy_assignments', id, { notes: 'for us' })
    expect(await moved(note)).toEqual(stays)
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

describe.each(['policies', 'policy_assignments'])('the window of app.%s', (table) => {
  test.each([
    ['2026-02-02', '2026-02-01', false],
    ['2026-02-02', '2026-02-02', true],
    [null, '2026-02-02', true],
    ['2026-02-02', null, true],
    ['infinity', null, false],
    [null, '-infinity', false],
    ['10000-01-01', null, false],
    ['0044-03-15 BC', null, false],
  ])('may be from %s to %s: %s', async (effective_start, effective_end, allowed) => {
    const refersTo = table === 'policies' ? {} : { item_id: item, policy_id: floater }
    const adding = studio.add(table, { ...refersTo, effective_start, effective_end })
    if (allowed) expect(await studio.get(table, await adding)).toMatchObject({ effective_start, effective_end })
    else await expect(adding).rejects.toMatchObject({ code: '23514' })
  })
})
