import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { problem } from '../../src/docs/openapi/responses.ts'
import { type List, type Row, useWorld } from '../support/world.ts'

type Problem = z.infer<typeof problem>

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
  const poll = async (text: string) => {
    const { data, meta } = await world.read<List<Row>>(`${path}?per_page=100&updated_since=${encodeURIComponent(text)}`)
    expect(meta.total).toBe(data.length)
    return data
  }
  const since = async (text: string) => (await poll(text)).map(({ id }) => id)

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

  test('the same time in any offset and form means the same', async () => {
    const forms = ['2031-07-15T12:20:30.456+02:00', '2031-07-15T15:50:30,456+0530', '2031-W29-2T10:20:30.456Z']
    for (const form of forms) expect((await since(form)).toSorted(), form).toEqual([one, two, newer].toSorted())
    // A `+` that was not encoded, and became a space.
    const { data } = await world.read<List<Row>>(`${path}?updated_since=2031-07-15T12:20:30.457+02:00`)
    expect(data.map(({ id }) => id)).toEqual([newer])
  })

  test('a date is its midnight in UTC; an early one returns everything, a late time an empty 200', async () => {
    expect(await since('2031-07-16')).toEqual([])
    expect((await since('2031-07-15')).toSorted()).toEqual([one, two, older, newer].toSorted())
    const { meta } = await world.read<List<Row>>(path)
    expect(await since('0001-01-01')).toHaveLength(meta.total)
    expect(await since('9999-12-31T23:59:59.999Z')).toEqual([])
  })

  // test/http/iso8601.test.ts tries everything else that is no timestamp.
  test.each(['now', '2024-02-30', ''])('what is not an ISO 8601 timestamp is refused: "%s"', async (text) => {
    const { status, json } = await world.get<Problem>(`${path}?updated_since=${text}`)
    const errors = [{ parameter: 'updated_since', code: 'not_a_timestamp', detail: expect.any(String) }]
    expect([status, json.errors]).toEqual([400, errors])
  })
})
