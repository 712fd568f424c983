import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { itemListed } from '../../src/api/items.ts'
import { type List, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemListed>

const world = useWorld()
const read = (query: Record<string, string>) => world.read<List<Item>>(`/v1/items?${new URLSearchParams(query)}`)
const found = async (query: Record<string, string>) => (await read(query)).data.map(({ name }) => name)

describe.each(['barcode', 'serial_number'] as const)('GET /items?%s=', (lookup) => {
  const value = 'Ab-1 \u2014 %_'

  beforeAll(async () => {
    await world.add('items', { name: `${lookup} exact`, [lookup]: value, category: 'Microphones' })
    await world.add('items', { name: `${lookup} in lower case`, [lookup]: value.toLowerCase() })
    await world.add('items', { name: `${lookup} and more`, [lookup]: `${value}2` })
    await world.add('items', { name: `${lookup} archived`, [lookup]: value, archived_at: new Date() })
    await world.add('items', { name: `${lookup} of the neighbour`, [lookup]: value }, world.cast.b.id)
    for (let n = 1; n <= 5; n += 1) await world.add('items', { name: `${lookup} twin ${n}`, [lookup]: 'TWINS' })
  })

  test('finds what has exactly it, of this studio, and not what is archived', async () => {
    expect(await found({ [lookup]: value })).toEqual([`${lookup} exact`])
  })

  test.each(['', ' '])('an absent value finds nothing, or says that it is empty: %j', async (text) => {
    const reply = await world.get(`/v1/items?${lookup}=${encodeURIComponent(text)}`)
    if (text !== '') expect(reply.json).toMatchObject({ data: [], meta: { total: 0, next_page: null } })
    else expect(reply.json).toMatchObject({ status: 400, errors: [{ parameter: lookup, code: 'empty' }] })
  })

  test('a text that is too long for an index can be recorded, and is not found', async () => {
    const long = `${lookup} ${'x'.repeat(3_000)}`
    await world.add('items', { name: 'Long', [lookup]: long })
    expect(await found({ [lookup]: long })).toEqual([])
    expect(await found({ [lookup]: 'y'.repeat(7_000) })).toEqual([])
  })

  test('a NUL character finds nothing', async () => {
    expect(await found({ [lookup]: 'TWINS\0' })).toEqual([])
  })

  test('may be given to several items, which are paged like any list', async () => {
    const all = [5, 4, 3, 2, 1].map((n) => `${lookup} twin ${n}`)
    expect(await found({ [lookup]: 'TWINS' })).toEqual(all)
    for (const page of [1, 2, 3, 4]) {
      const { data, meta } = await read({ [lookup]: 'TWINS', per_page: '2', page: String(page) })
      expect(data.map(({ name }) => name)).toEqual(all.slice(2 * page - 2, 2 * page))
      expect(meta).toEqual({ page, per_page: 2, total: 5, next_page: page < 3 ? page + 1 : null })
    }
    const first = await world.get(`/v1/items?${lookup}=TWINS&per_page=2`)
    const next = /<[^>]*(\/v1\/[^>]*)>/.exec(String(first.headers.link))?.[1] ?? ''
    expect((await world.read<List<Item>>(next)).data.map(({ name }) => name)).toEqual(all.slice(2, 4))
  })

  test('is combined with every other filter', async () => {
    const other = lookup === 'barcode' ? 'serial_number' : 'barcode'
    expect(await found({ [lookup]: value, category: 'Microphones' })).toHaveLength(1)
    expect(await found({ [lookup]: value, category: 'Guitars & Basses' })).toEqual([])
    expect(await found({ [lookup]: value, [other]: 'another' })).toEqual([])
    expect(await found({ [lookup]: value, updated_since: '2999-01-01T00:00:00Z' })).toEqual([])
    expect((await read({ [lookup]: value, coverage_state: 'under_covered' })).meta.total).toBe(0)
    expect((await read({ [lookup]: value, coverage_state: 'value_unknown' })).meta.total).toBe(1)
  })

  test('finds a new value with the very next request', async () => {
    const id = await world.add('items', { name: 'Moving', [lookup]: 'BEFORE' })
    expect(await found({ [lookup]: 'AFTER' })).toEqual([])
    await world.write(({ query }) => query(`update app.items set ${lookup} = 'AFTER' where id = $1`, [id]))
    expect([await found({ [lookup]: 'BEFORE' }), await found({ [lookup]: 'AFTER' })]).toEqual([[], ['Moving']])
  })
})
