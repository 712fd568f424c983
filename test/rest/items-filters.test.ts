import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { itemListed } from '../../src/api/items.ts'
import type { problem } from '../../src/docs/openapi/responses.ts'
import { categories } from '../../src/domain/vocabulary.ts'
import { type List, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemListed>
type Problem = z.infer<typeof problem>

const world = useWorld()
const states = ['fully_covered', 'under_covered', 'uninsured', 'value_unknown']

const find = (filters: Record<string, string>) =>
  world.read<List<Item>>(`/v1/items?${new URLSearchParams({ per_page: '100', ...filters })}`)
const ids = (list: List<Item>) => list.data.map(({ id }) => id).toSorted()

test('each of the 16 categories finds its items and no others', async () => {
  expect(categories).toEqual(expect.arrayContaining(['Outboard \u2014 Dynamics & EQ', 'Other / Uncategorised']))
  const made = await Promise.all(categories.map((category) => world.add('items', { name: 'One of each', category })))
  for (const [index, category] of categories.entries()) {
    const { data, meta } = await find({ category })
    expect(data.map((item) => item.category)).toEqual(data.map(() => category))
    expect(data.map(({ id }) => id)).toContain(made[index])
    expect(meta.total).toBe(data.length)
  }
  const everything = await find({})
  const counts = await Promise.all(categories.map(async (category) => (await find({ category })).meta.total))
  expect(counts.reduce((sum, count) => sum + count)).toBe(everything.meta.total)
})

test('a category that is not exact matches no item', async () => {
  for (const category of [
    ...['Outboard - Dynamics & EQ', 'Outboard \u2013 Dynamics & EQ', 'Other / Uncategorized', 'microphones'],
    ...['Microphones ', '\uff2dicrophones', 'Microphones\u0301', 'Micro%', '*', '', 'Microphones,Guitars & Basses'],
    'Microphones\0',
  ]) {
    const { data, meta } = await find({ category })
    expect([category, data, meta.total, meta.next_page]).toEqual([category, [], 0, null])
  }
})

test('a coverage state that is none of the four is refused', async () => {
  for (const coverage_state of ['', 'Fully Declared', 'FULLY_COVERED', 'fully_covered ']) {
    const { status, json } = await world.get(`/v1/items?${new URLSearchParams({ coverage_state })}`)
    const errors = [{ parameter: 'coverage_state', code: 'not_allowed', allowed: states }]
    expect([status, json]).toMatchObject([400, { code: 'invalid_parameter', errors }])
  }
})

test('unknown parameters are ignored and named, also those of other lists, and by the account all of them', async () => {
  const expected = await find({})
  const others = { status: 'nonsense', item_id: 'x', sort: 'name', archived: 'true', 'page[]': '9' }
  expect(ids(await find(others))).toEqual(ids(expected))
  const account = await world.read('/v1/account')
  expect(await world.read('/v1/account?page=x&per_page=0&updated_since=never')).toEqual(account)
})

test.each([
  ['microphone', ['microphone']],
  ['  LARGE\tmicro ', ['microphone']],
  ['m49', ['microphone']],
  ['M-49 vintage', ['microphone']],
  ['4006381333931', ['microphone']],
  ['maker tube s-1', ['microphone']],
  ['microphone nothing', []],
  ['%', []],
  ['_', []],
  ['\\', []],
  ['-', []],
  ['microphone\0', []],
])('q=%j finds the items that have each word somewhere: %j', async (q, found) => {
  const { items } = world.cast.a
  expect(ids(await find({ q }))).toEqual(found.map((name) => items[name as keyof typeof items]))
  expect((await find({ q, category: 'Guitars & Basses' })).meta.total).toBe(0)
})

test('a tag is exact, and a search follows what is written', async () => {
  const id = await world.add('items', { name: 'Zither “Ω”', tags: ['Loan 5%', 'a|b'] })
  for (const tag of ['Loan 5%', 'a|b']) expect(ids(await find({ tag }))).toEqual([id])
  for (const tag of ['loan 5%', 'Loan', 'a', '\0']) expect(ids(await find({ tag }))).toEqual([])
  for (const q of ['zither', 'ω', 'loan5%', '5% zither']) expect(ids(await find({ q }))).toEqual([id])
  await world.change('items', id, { name: 'Lute', tags: [] })
  expect([ids(await find({ q: 'zither' })), ids(await find({ q: 'lute' }))]).toEqual([[], [id]])
  const { meta } = await find({ q: 'lute', updated_since: '2999-01-01' })
  expect(meta.total).toBe(0)
})

test('a search and an exact filter clean their text as the import does: blanks, hidden characters, accents', async () => {
  const id = await world.add('items', { name: 'Küchenradio', serial_number: 'S-77', tags: ['Küche'] })
  expect(ids(await find({ serial_number: ' S-77\u200b' }))).toEqual([id])
  expect(ids(await find({ tag: 'Ku\u0308che ' }))).toEqual([id])
  expect(ids(await find({ q: 'ku\u0308chen\u200bradio' }))).toEqual([id])
})

test('a location finds what is there, and with its sublocations also what is inside', async () => {
  const room = await world.add('locations', { name: 'Room' })
  const rack = await world.add('locations', { name: 'Rack', parent_id: room })
  const shelf = await world.add('locations', { name: 'Shelf', parent_id: rack })
  const there = await Promise.all(
    [room, rack, shelf].map((location_id) => world.add('items', { name: 'x', location_id })),
  )
  const at = async (location_id: string, more = {}) => ids(await find({ location_id, ...more }))
  expect(await at(room)).toEqual([there[0]])
  expect(await at(room, { include_sublocations: 'false' })).toEqual([there[0]])
  expect(await at(room, { include_sublocations: 'true' })).toEqual(there.toSorted())
  expect(await at(rack, { include_sublocations: 'true', q: 'x' })).toEqual(there.slice(1).toSorted())
  expect(await at(shelf.toUpperCase(), { include_sublocations: 'true' })).toEqual(there.slice(2))
  const theirs = await world.add('locations', { name: 'Theirs' }, world.cast.b.id)
  await world.add('items', { name: 'Theirs', location_id: theirs }, world.cast.b.id)
  expect(await at(theirs, { include_sublocations: 'true' })).toEqual([])
})

test.each([
  ['/v1/items?catgory=Microphones&page=1', 'catgory'],
  ['/v1/items?coverage_state[]=uninsured&coverage_state[]=x&item_id=1', 'coverage_state[], item_id'],
  ['/v1/items?page=0&sort=name', 'sort'],
  ['/v1/account?page=1', 'page'],
  ['/v1/items?caf%C3%A9%0D%0A=1&%ED%A0%80=&=', 'caf%C3%A9%0D%0A, %EF%BF%BD%EF%BF%BD%EF%BF%BD'],
  [`/v1/items?${'k'.repeat(500)}=1`, 'kkkkkkkk...'],
  [`/v1/items?${Array.from({ length: 50 }, (_, index) => `p${index}`).join('&')}`, /^p0, .*, p9$/],
  ['/v1/items?page=1', undefined],
  ['/v1/items', undefined],
])('%s says which parameters were ignored, on every answer: %s', async (path, names) => {
  const expected = names instanceof RegExp ? expect.stringMatching(names) : names
  const first = await world.get(path)
  expect(first.headers['x-ignored-parameters']).toEqual(expected)
  // This answer comes from the cache, or is a 304.
  const again = await world.get(path, { headers: { 'If-None-Match': String(first.headers.etag) } })
  expect(again.headers['x-ignored-parameters']).toEqual(expected)
})

test('every wrong parameter is named at once', async () => {
  const names = ['page', 'per_page', 'coverage_state', 'updated_since']
  const { status, json } = await world.get<Problem>(`/v1/items?${names.join('=x&')}=x`)
  expect([status, json.errors?.map(({ parameter }) => parameter)]).toEqual([400, names])
})
