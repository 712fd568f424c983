import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { disclaimers } from '../../src/http/response.ts'
import { type List, useWorld } from '../support/world.ts'

const world = useWorld()
const lists = operations.filter(({ envelope }) => envelope === 'list').map(({ path }) => prefix + path)
const ask = (path: string, accept = 'text/csv', headers: Record<string, string> = {}) =>
  world.get(path, { headers: { Accept: accept, ...headers } })
const recordsOf = (text: string) => parse(text, { columns: true }) as Record<string, string>[]

describe.each(lists)('%s as text/csv', (template) => {
  let path = ''
  beforeAll(() => {
    path = template.replace('{id}', world.cast.a.policies.active)
  })

  test('is the page of the JSON: its columns, its order, its values', async () => {
    const { data, meta } = await world.read<List<Record<string, unknown>>>(path)
    const csv = await ask(path)
    expect(csv.status).toBe(200)
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    expect(csv.headers['x-total-count']).toBe(String(meta.total))
    expect(csv.headers['x-disclaimers']).toBe(disclaimers.join(' '))
    const records = recordsOf(csv.text)
    expect(records.length).toBe(data.length)
    for (const [index, record] of data.entries()) {
      expect(Object.keys(records[index] ?? {})).toEqual(Object.keys(record))
      for (const [name, value] of Object.entries(record)) {
        const cell = records[index]?.[name]
        if (value === null) expect(cell).toBe('')
        else if (typeof value === 'number') expect(Number(cell)).toBe(value)
        else if (Array.isArray(value)) expect(cell).toBe(value.join('; '))
        else expect(cell?.replace(/^'/, '')).toBe(String(value))
      }
    }
  })

  test('has the line of names when there is no record', async () => {
    expect((await ask(`${path}?page=9`)).text).toMatch(/^(?:id|item_id|resource),.*\r\n$/)
  })

  test('has an entity-tag of its own, which is answered with 304', async () => {
    const [json, csv] = [await world.get(path), await ask(path)]
    expect(csv.headers.etag).not.toBe(json.headers.etag)
    const tag = String(csv.headers.etag)
    expect((await ask(path, 'text/csv', { 'If-None-Match': tag })).status).toBe(304)
    expect((await world.get(path, { headers: { 'If-None-Match': tag } })).status).toBe(200)
    expect((await world.get(path)).headers.etag).toBe(json.headers.etag)
    expect(csv.headers.vary).toBe('Accept, Accept-Encoding')
  })
})

test('amounts have the digits of the JSON, and no cell is a formula', async () => {
  const { id, token } = await world.newStudio()
  const text = '=HYPERLINK("https://example.com")'
  await world.add('items', { name: text, model: '+49', tags: ['@x', 'y'], purchase_price: '1115.10' }, id)
  const { text: body } = await world.get('/v1/items', { token, headers: { Accept: 'text/csv' } })
  const cells = { name: `'${text}`, model: `'+49`, tags: `'@x; y`, purchase_price: '1115.10' }
  expect(recordsOf(body)[0]).toMatchObject(cells)
})

test('a text of several lines stays one cell with every kind of line ending', async () => {
  const { id, token } = await world.newStudio()
  const names = ['x\n=HYPERLINK("x")', 'a\rb', 'c\r\nd', 'says "e"']
  for (const name of names) await world.add('items', { name }, id)
  const { text } = await world.get('/v1/items', { token, headers: { Accept: 'text/csv' } })
  for (const name of names) expect(text).toContain(`,"${name.replaceAll('"', '""')}",`)
  const records = parse(text, { columns: true, record_delimiter: '\r\n' }) as { name: string }[]
  expect(records.map(({ name }) => name)).toEqual(names.toReversed())
})

test('pages are walked by the Link header, and stay CSV', async () => {
  const names: string[] = []
  let next: string | undefined = '/v1/items?per_page=2'
  while (next !== undefined) {
    const page = await ask(next)
    names.push(...recordsOf(page.text).map(({ name = '' }) => name))
    next = /<[^>]*(\/v1\/[^>]*)>/.exec(String(page.headers.link ?? ''))?.[1]
  }
  const { data } = await world.read<List<{ name: string }>>('/v1/items?per_page=100')
  expect(names).toEqual(data.map(({ name }) => name))
})

test.each([
  ['*/*', 'application/json'],
  ['text/csv;q=0.5, application/json', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['TEXT/CSV; header=present; q=0.9', 'text/csv'],
])('Accept: %s is answered with %s', async (accept, type) => {
  expect((await ask('/v1/items', accept)).headers['content-type']).toContain(type)
})

test('with Accept: text/csv a single object is still JSON, and an error a problem', async () => {
  const { a } = world.cast
  for (const path of ['/v1/account', `/v1/items/${a.items.microphone}`, `/v1/items/${a.items.microphone}/policies`]) {
    expect((await ask(path)).headers['content-type']).toContain('application/json')
  }
  expect((await ask('/v1/items?page=0')).headers['content-type']).toContain('application/problem+json')
})
