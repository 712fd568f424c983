import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { policyDetail, policyListed } from '../../src/api/policies.ts'
import { policyTypes } from '../../src/domain/vocabulary.ts'
import { type List, type Single, useWorld } from '../support/world.ts'

type Policy = z.infer<typeof policyListed>

const world = useWorld()
const list = (token = world.cast.a.token.token) => world.read<List<Policy>>('/v1/policies?per_page=100', { token })
const detail = async (id: string) => (await world.read<Single<z.infer<typeof policyDetail>>>(`/v1/policies/${id}`)).data
const ids = ({ data }: List<Policy>) => data.map(({ id }) => id)

test('a policy shows what was recorded, and null for the rest', async () => {
  const { active, open } = world.cast.a.policies
  const { data } = await list()
  const listed = data.find(({ id }) => id === active)
  expect(listed).toEqual({
    ...{ id: active, name: 'Studio cover', carrier: 'Carrier', policy_number: 'P-1', policy_type: 'studio_property' },
    ...{ overall_limit: 100000, deductible: 250, covered_perils: ['fire', 'theft'] },
    ...{ location_constraints: 'Only at home', effective_start: '2020-01-01', effective_end: '2999-12-31' },
    archived: false,
  })
  expect(await detail(active.toUpperCase())).toEqual({ ...listed, assignments_count: 2 })
  expect(data.find(({ id }) => id === open)).toEqual({
    ...{ id: open, name: 'Open-ended', carrier: null, policy_number: null, policy_type: null, overall_limit: null },
    ...{ deductible: null, covered_perils: null, location_constraints: null },
    ...{ effective_start: '2021-06-01', effective_end: null, archived: false },
  })
})

test('ends_before finds what ends before a day, and nothing open-ended', async () => {
  const { active } = world.cast.a.policies
  const ending = async (day: string) => ids(await world.read<List<Policy>>(`/v1/policies?ends_before=${day}`))
  expect(await ending('2999-12-31')).not.toContain(active)
  expect(await ending('3000-01-01')).toContain(active)
  expect(await ending('9999-12-31')).not.toContain(world.cast.a.policies.open)
})

test('the items of a policy are the live ones that it declares, for each assignment, in pages that Link walks', async () => {
  const { items, policies } = world.cast.a
  type Declared = { item_id: string }
  const of = (id: string, query = '') => world.read<List<Declared>>(`/v1/policies/${id}/items${query}`)
  const { data } = await of(policies.active.toUpperCase())
  const declared = (item_id: string, item_name: string, declared_value: number, effective_start: string | null) => ({
    ...{ item_id, item_name, declared_value, is_primary: true, effective_start, effective_end: null },
  })
  expect(data).toHaveLength(2)
  expect(data).toEqual(expect.arrayContaining([declared(items.console, 'Console', 16_000, null)]))
  expect(data).toEqual(expect.arrayContaining([declared(items.microphone, 'Large microphone', 5000, '2020-01-01')]))
  expect((await of(policies.expired)).data).toMatchObject([{ item_id: items.microphone, is_primary: false }])
  // Its one item is archived, but assignments_count counts it.
  expect(await of(policies.open)).toMatchObject({ data: [], meta: { total: 0 } })
  expect(await detail(policies.open)).toMatchObject({ assignments_count: 1 })

  const { id: studio, token } = await world.newStudio()
  const policy = await world.add('policies', { name: 'Tour' }, studio)
  const text = `
    with made as (insert into app.items (studio_id, name) select $1, 'Item ' || n from generate_series(1, 5) n returning id)
    insert into app.policy_assignments (studio_id, item_id, policy_id, declared_value)
    select $1, made.id, $2, n from made, generate_series(1, 3) n`
  await world.write(({ query }) => query(text, [studio, policy]), studio)
  const read = (query: string) => world.get<List<Declared>>(`/v1/policies/${policy}/items?${query}`, { token })
  const [numbered, walked]: [object[], object[]] = [[], []]
  for (let page = 1; page <= 4; page++) {
    const { json } = await read(`per_page=4&page=${page}`)
    expect(json.meta).toMatchObject({ total: 15, next_page: page === 4 ? null : page + 1 })
    numbered.push(...json.data)
  }
  for (let next: string | undefined = 'per_page=4'; next !== undefined; ) {
    const { json, headers } = await read(next)
    walked.push(...json.data)
    next = /\/items\?(.*)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1]
  }
  expect(walked).toEqual(numbered)
  expect(new Set(numbered.map((each) => JSON.stringify(each))).size).toBe(15)
  const csv = await world.get(`/v1/policies/${policy}/items`, { token, headers: { Accept: 'text/csv' } })
  expect(csv.text.split('\r\n')[0]).toBe('item_id,item_name,declared_value,is_primary,effective_start,effective_end')
  // The cursor of one policy is not valid for another.
  const cursor = /cursor=([^>&]+)/.exec(String((await read('per_page=4')).headers.link))?.[1]
  const other = await world.add('policies', { name: 'Other' }, studio)
  const elsewhere = `/v1/policies/${other}/items?per_page=4&cursor=${cursor}`
  expect((await world.get(elsewhere, { token })).status).toBe(400)
})

test('a poll of a policy’s items returns what was assigned since, and not the rest', async () => {
  const { id: studio, token } = await world.newStudio()
  const [policy, older, newer] = [
    await world.add('policies', { name: 'Tour' }, studio),
    await world.add('items', { name: 'Older' }, studio),
    await world.add('items', { name: 'Newer' }, studio),
  ]
  await world.add('policy_assignments', { item_id: older, policy_id: policy }, studio)
  const path = `/v1/policies/${policy}/items`
  const changed = async (since: unknown) => {
    await world.owner('select access.heartbeat()')
    const { data } = await world.read<List<{ item_name: string }>>(`${path}?updated_since=${since}`, { token })
    return data.map(({ item_name }) => item_name)
  }
  const patiently = { timeout: 30_000, interval: 20 }
  await expect.poll(() => changed('2020-01-01'), patiently).toEqual(['Older'])
  const since = (await world.get(path, { token })).headers['next-updated-since']
  await world.add('policy_assignments', { item_id: newer, policy_id: policy }, studio)
  await expect.poll(() => changed(since), patiently).toEqual(['Newer'])
})

test('a list says how old Next-Updated-Since is, which grows while somebody’s transaction stays open, also on 304', async () => {
  const path = '/v1/policies'
  await world.owner('select access.heartbeat()')
  const { etag = '' } = (await world.get(path)).headers
  await world
    .write(async ({ query }) => {
      await query(`update app.items set name = 'Unfinished'`)
      await expect
        .poll(
          async () => {
            const { status, headers } = await world.get(path, { headers: { 'If-None-Match': etag } })
            expect(status).toBe(304)
            return Number(headers['next-updated-since-age'])
          },
          { timeout: 30_000, interval: 200 },
        )
        .toBeGreaterThanOrEqual(2)
      throw new Error('gives up')
    })
    .catch(() => undefined)
  const { headers } = await world.get(path)
  const seconds = (Date.now() - Date.parse(String(headers['next-updated-since']))) / 1000
  expect(Math.abs(seconds - Number(headers['next-updated-since-age']))).toBeLessThan(5)
})

test('only active policies are listed: none archived, expired, future or without a start; any is found by its id', async () => {
  const { active, open, archived, expired, future, odd } = world.cast.a.policies
  expect(ids(await list()).toSorted()).toEqual([active, open].toSorted())
  expect(await detail(archived)).toMatchObject({ name: 'Withdrawn', archived: true })
  expect(await detail(expired)).toMatchObject({ name: 'Expired', archived: false, effective_end: '2015-12-31' })
  expect(await detail(future)).toMatchObject({ name: 'Future', effective_start: '2990-01-01' })
  expect(await detail(odd)).toMatchObject({ name: 'Odd', effective_start: null })
})

test('each recognised policy type is shown, anything else as null, and its text is nowhere in the answer', async () => {
  const { id: studio, token } = await world.newStudio()
  for (const policy_type of [...policyTypes, 'cyber', 'LIABILITY', 'liability ', '']) {
    const columns = { name: `type ${policy_type}`, policy_type, effective_start: '2020-01-01', covered_perils: [] }
    await world.add('policies', columns, studio)
  }
  for (const { name, policy_type, covered_perils } of (await list(token)).data) {
    const stored = name.slice('type '.length)
    expect(policy_type).toBe((policyTypes as readonly string[]).includes(stored) ? stored : null)
    // An empty list is not null.
    expect(covered_perils).toEqual([])
  }
  const { text, json } = await world.get<Single<Policy>>(`/v1/policies/${world.cast.a.policies.odd}`)
  expect(json.data.policy_type).toBeNull()
  expect(text).not.toContain('cyber')
})

test('every assignment counts: of archived items, with a window in the past, on expired policies', async () => {
  const { items, policies } = world.cast.a
  const { open, expired, archived, future } = policies
  const counts = () =>
    Promise.all([open, expired, archived, future].map(async (id) => (await detail(id)).assignments_count))
  expect(await counts()).toEqual([1, 1, 1, 0])
  const past = { effective_start: '2001-01-01', effective_end: '2001-12-31' }
  await world.add('policy_assignments', { item_id: items.guitar, policy_id: open, ...past })
  expect(await counts()).toEqual([2, 1, 1, 0])
})
