import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { assignment } from '../../src/api/policies.ts'
import { type Single, useWorld } from '../support/world.ts'

type Assignment = z.infer<typeof assignment>

// Tests here change the schema, which moves no version. So the service must not cache answers.
const world = useWorld({ cacheMaxBytes: 0 })
const read = async (item: string) => (await world.read<Single<Assignment[]>>(`/v1/items/${item}/policies`)).data

test('assignments to archived and to expired policies are there, with the primary one first', async () => {
  const { items, policies } = world.cast.a
  const none = { declared_value: null, is_primary: false, effective_start: null, effective_end: null }
  const { active, archived, expired } = policies
  const windows = { effective_start: '2020-02-02', effective_end: '2024-02-28' }
  const others = [
    { ...none, policy_id: expired, policy_name: 'Expired', declared_value: 3000 },
    { ...none, policy_id: archived, policy_name: 'Withdrawn', ...windows },
  ]
  const primary = { declared_value: 5000, is_primary: true, effective_start: '2020-01-01' }
  expect(await read(items.microphone)).toEqual([
    { ...none, policy_id: active, policy_name: 'Studio cover', ...primary },
    ...others.toSorted((a, b) => (a.policy_id < b.policy_id ? -1 : 1)),
  ])
  expect(await read(items.guitar)).toEqual([])
})

test('the primary assignment is first regardless of its policy’s id; the others follow by policy_id', async () => {
  const item_id = await world.add('items', { name: 'Much insured' })
  const policies: string[] = []
  for (let count = 0; count < 8; count += 1) policies.push(await world.add('policies', { name: `Policy ${count}` }))
  const ordered = policies.toSorted()
  for (const policy_id of policies) {
    await world.add('policy_assignments', { item_id, policy_id, is_primary: policy_id === ordered.at(-1) })
  }
  expect((await read(item_id)).map(({ policy_id }) => policy_id)).toEqual([ordered.at(-1), ...ordered.slice(0, -1)])
})

test('more assignments than fit on a page are all returned', async () => {
  const item_id = await world.add('items', { name: 'Insured by everybody' })
  const text = `with made as (
      insert into app.policies (studio_id, name) select $1, 'P ' || n from generate_series(1, 130) n returning id)
    insert into app.policy_assignments (studio_id, item_id, policy_id) select $1, $2, id from made`
  await world.write(({ query }) => query(text, [world.cast.a.id, item_id]))
  expect(await read(item_id)).toHaveLength(130)
  const { data } = await world.read<Single<Assignment[]>>(`/v1/items/${item_id}/policies?page=2&per_page=1`)
  expect(data).toHaveLength(130)
})

test('a declared value of zero is zero, an unknown one is null', async () => {
  const item_id = await world.add('items', { name: 'Worthless' })
  const { active, open } = world.cast.a.policies
  await world.add('policy_assignments', { item_id, policy_id: active, declared_value: '0', is_primary: true })
  await world.add('policy_assignments', { item_id, policy_id: open })
  expect((await read(item_id)).map(({ declared_value }) => declared_value)).toEqual([0, null])
})

test('when the policy of an assignment is hidden its name is null and the rest whole', async () => {
  const { items, policies } = world.cast.a
  const before = await read(items.microphone)
  await world.owner(
    `create policy "Hidden for a test" on app.policies as restrictive using (id <> '${policies.active}')`,
  )
  try {
    const [primary, ...others] = before
    expect(primary).toMatchObject({ policy_id: policies.active, policy_name: 'Studio cover' })
    expect(await read(items.microphone)).toEqual([{ ...primary, policy_name: null }, ...others])
  } finally {
    await world.owner('drop policy "Hidden for a test" on app.policies')
  }
})
