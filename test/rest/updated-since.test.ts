import { beforeAll, describe, expect, test } from 'vitest'
import { type List, type Row, useWorld } from '../support/world.ts'

const world = useWorld()

/** The four lists, the table behind each, and what a row of it needs. */
const lists = [
  ['/v1/items', 'items', { name: 'Item' }],
  ['/v1/locations', 'locations', { name: 'Room' }],
  ['/v1/maintenance', 'maintenance_records', { title: 'Check' }],
  ['/v1/policies', 'policies', { name: 'Policy', effective_start: '2020-01-01' }],
] as const

const at = '2031-07-15T10:20:30.456Z'
const before = '2031-07-15T10:20:30.455Z'
const after = '2031-07-15T10:20:30.457Z'

describe.each(lists)('GET %s', (path, table, columns) => {
  let [one, two, older, newer] = ['', '', '', '']
  const since = async (text: string) => {
    const { data, meta } = await world.read<List<Row>>(`${path}?per_page=100&updated_since=${encodeURIComponent(text)}`)
    expect(meta.total).toBe(data.length)
    return data.map(({ id }) => id)
  }

  beforeAll(async () => {
    const more = table === 'maintenance_records' ? { item_id: world.cast.a.items.console } : {}
    for (let count = 0; count < 4; count += 1) {
      const id = await world.add(table, { ...columns, ...more })
      ;[one, two, older, newer] = [two, older, newer, id]
    }
    await world.setUpdatedAt(table, { [one]: at, [two]: at, [older]: before, [newer]: after })
  })

  test('a record updated exactly at the moment is included, each of several; a millisecond or less decides', async () => {
    const all = async (text: string) => (await since(text)).toSorted()
    expect(await all(at)).toEqual([one, two, newer].toSorted())
    expect(await all(before)).toEqual([one, two, older, newer].toSorted())
    expect(await all('2031-07-15T10:20:30.455999999Z')).toEqual([one, two, newer].toSorted())
    expect(await all('2031-07-15T10:20:30.456000Z')).toEqual([one, two, newer].toSorted())
    for (const text of [after, '2031-07-15T10:20:30.456000001Z']) expect(await since(text)).toEqual([newer])
    expect(await since('2031-07-15T10:20:30.458Z')).toEqual([])
  })
})
