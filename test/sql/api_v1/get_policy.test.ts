import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let id: string

beforeEach(async () => {
  studio = await sql.studio()
  id = await studio.add('policies', { name: 'Floater', effective_start: '2026-01-01', notes: 'SECRET' })
})

const ask = async (policyId: string | null = id) => {
  const answer = await studio.ask('get_policy', policyId)
  return { ...answer, policy: parsed(answer)[0] }
}

test('a policy has the fields of the list and the number of its assignments', async () => {
  for (let n = 0; n < 3; n++) {
    const item_id = await studio.add('items')
    await studio.add('policy_assignments', { item_id, policy_id: id, effective_end: '2001-01-01' })
  }
  expect((await ask()).data).toBe(
    `{"id":"${id}","name":"Floater","carrier":null,"policy_number":null,"policy_type":null,"overall_limit":null,` +
      `"deductible":null,"covered_perils":null,"location_constraints":null,"effective_start":"2026-01-01",` +
      `"effective_end":null,"archived":false,"assignments_count":3}`,
  )
})

test.each([
  ['archived', { archived_at: '2020-01-01T00:00:00Z' }],
  ['expired', { effective_start: '2019-01-01', effective_end: '2019-12-31' }],
  ['future', { effective_start: '2999-01-01' }],
])('an %s policy is answered too', async (_what, columns) => {
  await studio.change('policies', id, columns)
  expect(await ask()).toMatchObject({ status: 200, policy: { id, archived: 'archived_at' in columns } })
})

test('a malformed, an unknown and another studio’s id are the same 404', async () => {
  const stranger = await sql.studio()
  const theirs = await stranger.add('policies')
  for (const policyId of [null, '00000000-0000-4000-8000-000000000000', theirs]) {
    expect(await ask(policyId), String(policyId)).toMatchObject({ status: 404, data: null })
  }
})

describe('when the assignments cannot be counted', () => {
  const columns = '(studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)'
  afterEach(() => sql.admin.rows(`grant select ${columns} on app.policy_assignments to studio_api`))

  test('their number is 0 and the policy is whole', async () => {
    await studio.add('policy_assignments', { item_id: await studio.add('items'), policy_id: id })
    expect((await ask()).policy).toMatchObject({ assignments_count: 1 })
    await sql.admin.rows(`revoke select ${columns} on app.policy_assignments from studio_api`)
    expect(await ask()).toMatchObject({ status: 200, policy: { id, name: 'Floater', assignments_count: 0 } })
  })
})
