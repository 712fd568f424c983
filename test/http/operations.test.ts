import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { emptyList, itemId, newToken, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

const token = newToken()
const digest = createHash('sha256').update(token).digest()

describe('one statement per request', () => {
  const since = '2024-03-01T12:30:00%2B02:00'
  const instant = '2024-03-01T10:30:00.000Z'
  const cases: [path: string, name: string, values: unknown[]][] = [
    ['/items', 'list_items/0000/first', [50]],
    [
      `/items?page=3&per_page=20&category=Microphones&coverage_state=uninsured&updated_since=${since}`,
      'list_items/1100s/page',
      [20, 'Microphones', 'uninsured', instant, 40],
    ],
    ['/items?barcode=x&serial_number=y', 'list_items/0011/first', [50, 'x', 'y']],
    [`/items/${itemId}`, 'get_item', [itemId]],
    [`/items/${itemId}/policies`, 'list_item_policies', [itemId]],
    [`/locations?updated_since=${since}`, 'list_locations/s/first', [50, instant]],
    [
      `/maintenance?item_id=${itemId}&status=completed&updated_since=${since}&per_page=100`,
      'list_maintenance/11s/first',
      [100, itemId, 'completed', instant],
    ],
    [`/policies?updated_since=${since}&page=2`, 'list_policies/s/page', [50, instant, 50]],
    [`/policies/${itemId}`, 'get_policy', [itemId]],
    [`/removals?updated_since=${since}&per_page=20`, 'list_removals/s/first', [20, instant]],
    ['/account', 'get_account', []],
  ]
  test.each(cases)('%s', async (path, name, values) => {
    await app.get(`/v1${path}`, { token })
    expect(app.queries).toHaveLength(1)
    expect(app.queries[0]?.name).toBe(`api_v1.${name}`)
    expect(app.queries[0]?.values).toEqual([digest, '127.0.0.1', ...values])
    expect(app.queries[0]?.text).toMatch(/access\.open_session\(\$1::bytea, \$2::inet\)|api_v1\./)
  })

  test('every text that is prepared has a name of its own', async () => {
    const texts = new Map<string, string>()
    for (const [path] of cases) await app.get(`/v1${path}`, { token })
    for (const query of ['', '?page=2', '?category=x', '?coverage_state=uninsured', '?barcode=x', '?serial_number=x']) {
      await app.get(`/v1/items${query}`, { token })
    }
    for (const { name, text } of app.queries) expect(texts.set(name, texts.get(name) ?? text).get(name)).toBe(text)
    expect(new Set(texts.values()).size).toBe(texts.size)
  })

  test('every path answers', async () => {
    for (const { path } of operations) {
      expect((await app.get(`/v1${path.replace('{id}', itemId)}`)).status).toBe(200)
    }
  })
})
