import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/docs/openapi/responses.ts'
import { itemId, startApp, useApp } from './support.ts'

const last = { at: '2026-05-05 12:00:00.123+00', id: itemId }
const page = { status: 200, total: '9', data: '{}', has_more: true, last_at: last.at, last_id: last.id }

const app = useApp()
beforeEach(() => {
  app.answer(() => page)
})

/** The address of the next page, as the service says it; undefined when it names none. */
async function nextOf(path: string): Promise<URL | undefined> {
  const { status, headers } = await app.get(path)
  expect(status).toBe(200)
  if (headers.link === undefined) return undefined
  const [, address = ''] = /^<([^<>]+)>; rel="next"$/.exec(String(headers.link)) ?? []
  return new URL(address)
}

const cursorOf = async (path: string) => (await nextOf(path))?.searchParams.get('cursor') ?? ''

/** Asks, and the database is only asked for the token: the code of the one error. */
async function refused(path: string): Promise<string | undefined> {
  app.queries.length = 0
  const reply = await app.get(path)
  expect(reply.status, path).toBe(400)
  expect(app.queries.map(({ name }) => name)).toEqual(['access.authenticate_batch'])
  const { errors } = problem.parse(JSON.parse(reply.body))
  expect(errors?.map(({ parameter }) => parameter)).toEqual(['cursor'])
  return errors?.[0]?.code
}

const lists = operations.filter(({ envelope }) => envelope === 'list')

describe('the address of the next page', () => {
  test.each(lists)(
    '$path: is the service’s own, with what was asked and a cursor, without a page',
    async ({ path }) => {
      const own = path.replace('{id}', itemId)
      const next = await nextOf(`/v1${own}?page=3&per_page=2&unknown=x`)
      expect(next?.origin).toBe('https://api.example.com')
      expect(next?.pathname).toBe(`/v1${own}`)
      expect([...(next?.searchParams.keys() ?? [])]).toEqual(['per_page', 'cursor'])
      expect(next?.searchParams.get('per_page')).toBe('2')
    },
  )

  test('is not named on the last page, nor of what is no list', async () => {
    app.answer(() => ({ ...page, has_more: false }))
    for (const { path } of lists) expect(await nextOf(`/v1${path}`)).toBeUndefined()
    app.answer(() => page)
    for (const { path } of operations.filter(({ envelope }) => envelope !== 'list')) {
      expect(await nextOf(`/v1${path.replace('{id}', itemId)}`)).toBeUndefined()
    }
  })
})

describe('a cursor that was not given for this question', () => {
  test('with any character altered, left out or added is a 400, and nothing is read', async () => {
    const cursor = await cursorOf('/v1/items')
    expect(cursor.length).toBeGreaterThan(100)
    for (let at = 0; at < cursor.length; at++) {
      const other = ['A', 'b', '.', '-', ''].find((each, index) => index >= at % 4 && each !== cursor[at])
      const altered = cursor.slice(0, at) + other + cursor.slice(at + 1)
      expect(await refused(`/v1/items?cursor=${altered}`), altered).toBe('not_a_cursor')
    }
    for (const altered of [`${cursor}A`, `A${cursor}`, `${cursor}=`, `${cursor}.`, `${cursor}%00`, `${cursor}%20`]) {
      expect(await refused(`/v1/items?cursor=${altered}`), altered).toBe('not_a_cursor')
    }
  })

  test('another operation, filter or page size: 400', async () => {
    const question = 'category=Microphones&per_page=2'
    const cursor = await cursorOf(`/v1/items?${question}`)
    expect((await app.get(`/v1/items?${question}&cursor=${cursor}`)).status).toBe(200)
    expect((await app.get(`/v1/items?cursor=${cursor}&per_page=002&category=Microphones`)).status).toBe(200)
    const others = [
      ...['', 'per_page=2', 'category=Microphones', 'category=Microphones&per_page=3'],
      ...['category=microphones&per_page=2', `${question}&coverage_state=uninsured`],
      `${question}&updated_since=2026-01-01`,
    ]
    for (const path of [
      ...others.map((other) => `/v1/items?${other}`),
      ...lists.filter(({ path }) => path !== '/items').map(({ path }) => `/v1${path}?per_page=2`),
    ]) {
      expect(await refused(`${path}&cursor=${cursor}`), path).toBe('not_a_cursor')
    }
  })

  test('another service’s secret: 400', async () => {
    const other = await startApp({ secretKeys: 'another secret key, as long as it has to be' })
    onTestFinished(other.close)
    other.answer(() => page)
    const { headers } = await other.get('/v1/items')
    const [, cursor = ''] = /cursor=([^>]+)>/.exec(String(headers.link)) ?? []
    expect(await refused(`/v1/items?cursor=${cursor}`)).toBe('not_a_cursor')
  })
})
