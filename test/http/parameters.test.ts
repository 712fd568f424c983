import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { allParameters, operations } from '../../src/api/operations.ts'
import { readParameters } from '../../src/api/parameters.ts'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { categories } from '../../src/domain/vocabulary.ts'
import { itemId, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})

type Errors = { parameter: string; code: string; detail: string; allowed?: string[] }[]

async function errorsOf(path: string): Promise<Errors> {
  const reply = await app.get(`/v1${path}`)
  expect(reply.status).toBe(400)
  expect(app.queries).toEqual([])
  return problem.parse(JSON.parse(reply.body)).errors as Errors
}

/** Left out where they are not given. */
const optional = ['barcode', 'serial_number', 'cursor']

/** What an operation reads out of a query: of a list the values of its parameters, else the id. */
async function valuesOf(path: string): Promise<unknown[]> {
  app.queries.length = 0
  const reply = await app.get(`/v1${path}`)
  expect(reply.status).toBe(200)
  const [query] = app.queries
  const operation = operations.find(({ id }) => `api_v1.${id}` === query?.name.split('/')[0])
  if (operation?.list === undefined) return query?.values.slice(2) ?? []
  const { values } = readParameters(operation.parameters, path.split('?')[1] ?? '')
  // Whatever is given is sent.
  const { page, ...sent } = values
  expect(query?.values).toEqual(expect.arrayContaining(Object.values(sent).filter((value) => value !== null)))
  return Object.entries(values).flatMap(([name, value]) => (value === null && optional.includes(name) ? [] : [value]))
}

describe('page and per_page', () => {
  const wrong = [
    '',
    '0',
    '00',
    '-1',
    '+1',
    '%2B1',
    '%201',
    '1%20',
    '1.0',
    '1e3',
    '0x1',
    '1_000',
    'one',
    'null',
    'NaN',
    'Infinity',
    '1%00',
  ]
  const digits = ['%D9%A1', '%EF%BC%91', '%E0%A5%A7', '%F0%9D%9F%8F', '%C2%B9', '%E2%85%A0']
  test.each([...wrong, ...digits, '%ZZ', '%ff', '%ED%A0%80'])('%s: 400', async (text) => {
    for (const name of ['page', 'per_page'] as const) {
      expect(await errorsOf(`/items?${name}=${text}`)).toEqual([
        { parameter: name, code: 'not_a_positive_integer', detail: `${name} must be a whole number of at least 1.` },
      ])
    }
  })

  test('leading zeros and large numbers are numbers', async () => {
    expect(await valuesOf('/items?page=007&per_page=0050')).toEqual([7, 50, null, null, null])
    expect(await valuesOf('/items?per_page=101')).toEqual([1, 100, null, null, null])
    for (const large of ['9223372036854775808', '9007199254740993', '9'.repeat(400)]) {
      expect(await valuesOf(`/items?page=${large}&per_page=${large}`)).toEqual([
        Number.MAX_SAFE_INTEGER,
        100,
        null,
        null,
        null,
      ])
    }
  })
})

describe('known and unknown', () => {
  test('a repeated parameter: 400', async () => {
    for (const query of ['page=1&page=1', 'category=a&category=b', 'page=0&page=0', 'per_page=1&%70er_page=2']) {
      expect((await errorsOf(`/items?${query}`))[0]?.code).toBe('repeated')
    }
  })

  const ignored = [
    'page[]=0',
    'page[0]=0',
    '__proto__=1',
    '__proto__[page]=0',
    'constructor=1',
    'toString=1',
    'PAGE=0',
    'cursors=x',
    '&&&',
    '=',
    'status=nope',
    'limit=0&limit=0',
  ]
  test.each(ignored)('%s: ignored', async (query) => {
    expect(await valuesOf(`/items?${query}`)).toEqual([1, 50, null, null, null])
  })

  test('a parameter that another operation knows is ignored here', async () => {
    expect(await valuesOf('/policies?category=x&coverage_state=nope&item_id=nope&status=nope')).toEqual([1, 50, null])
    expect(await valuesOf('/account?page=0&updated_since=never&cursor=x')).toEqual([])
    expect(await valuesOf(`/items/${itemId}?page=0&cursor=x`)).toEqual([itemId])
  })

  test('every wrong parameter is listed', async () => {
    const errors = await errorsOf('/items?updated_since=now&per_page=0&page=x&coverage_state=covered&category=')
    expect(errors.map(({ parameter }) => parameter)).toEqual(['page', 'per_page', 'coverage_state', 'updated_since'])
  })
})

describe('category', () => {
  test('each of the 16 goes to the statement as it is', async () => {
    expect(categories).toHaveLength(16)
    expect(categories.filter((category) => category.includes('\u2014'))).toEqual(['Outboard — Dynamics & EQ'])
    for (const category of categories) {
      expect(await valuesOf(`/items?category=${encodeURIComponent(category)}`)).toEqual([1, 50, category, null, null])
      expect(await valuesOf(`/items?${new URLSearchParams({ category })}`)).toEqual([1, 50, category, null, null])
    }
  })

  test('any other text goes there unchanged too: what it matches is for the database to say', async () => {
    for (const category of [
      'Outboard - Dynamics & EQ',
      'microphones',
      'Microphones ',
      'Other / Uncategorized',
      "'; drop table items",
      'e\u0301',
      '',
    ]) {
      expect(await valuesOf(`/items?category=${encodeURIComponent(category)}`)).toEqual([1, 50, category, null, null])
    }
  })

  test('a NUL character, which cannot be stored, matches nothing', async () => {
    expect(await valuesOf('/items?category=Microphones%00')).toEqual([1, 50, '', null, null])
  })

  test('what is not UTF-8 is replaced, never an error', async () => {
    expect(await valuesOf('/items?category=%ED%A0%80%ff%ZZ')).toEqual([
      1,
      50,
      '\ufffd\ufffd\ufffd\ufffd%ZZ',
      null,
      null,
    ])
  })
})

describe('coverage_state, updated_since, item_id, status', () => {
  test('the four states are passed on; anything else is 400 and says what is allowed', async () => {
    const states = ['fully_covered', 'under_covered', 'uninsured', 'value_unknown']
    for (const state of states)
      expect(await valuesOf(`/items?coverage_state=${state}`)).toEqual([1, 50, null, state, null])
    app.queries.length = 0
    for (const state of ['', 'covered', 'Uninsured', 'uninsured%20', 'Not%20Declared', 'constructor']) {
      expect(await errorsOf(`/items?coverage_state=${state}`)).toEqual([
        {
          parameter: 'coverage_state',
          code: 'not_allowed',
          detail: 'coverage_state must be one of fully_covered, under_covered, uninsured, value_unknown.',
          allowed: states,
        },
      ])
    }
  })

  test('updated_since with a raw + is repaired', async () => {
    expect(await valuesOf('/items?updated_since=2024-03-01T12:30:00+02:00')).toEqual([
      1,
      50,
      null,
      null,
      '2024-03-01T10:30:00.000Z',
    ])
  })

  test('updated_since that is not ISO 8601: 400 on every list', async () => {
    for (const path of ['/items', '/locations', '/maintenance', '/policies']) {
      for (const text of [
        '',
        'now',
        'infinity',
        '2024-02-30',
        '1709251200',
        '2024-03-01%2012:00',
        '10000-01-01',
        '2024-03-01T00:00:00%00',
      ]) {
        expect((await errorsOf(`${path}?updated_since=${text}`))[0]).toMatchObject({
          parameter: 'updated_since',
          code: 'not_a_timestamp',
        })
      }
    }
  })

  test('item_id and status of maintenance', async () => {
    expect(await valuesOf(`/maintenance?item_id=${itemId}&status=scheduled`)).toEqual([
      1,
      50,
      itemId,
      'scheduled',
      null,
    ])
    app.queries.length = 0
    expect(
      (await errorsOf('/maintenance?item_id=x&status=done')).map(({ parameter, code }) => [parameter, code]),
    ).toEqual([
      ['item_id', 'not_a_uuid'],
      ['status', 'not_allowed'],
    ])
  })
})

test('whatever the query, reading it never throws and gives values of the right kind', () => {
  const known = Object.keys(allParameters)
  const pair = fc.tuple(
    fc.oneof(fc.constantFrom(...known), fc.string()),
    fc.oneof(fc.webQueryParameters(), fc.string({ unit: 'binary' })),
  )
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const query = pairs.map(([name, text]) => `${name}=${text}`).join('&')
      const { values, errors } = readParameters(allParameters, query)
      if (errors.length > 0) return
      const { page, per_page: perPage, category } = values
      expect(Number.isSafeInteger(page) && Number(page) >= 1).toBe(true)
      expect(Number(perPage) >= 1 && Number(perPage) <= 100).toBe(true)
      expect(String(category).includes('\0')).toBe(false)
      expect(Object.keys(values)).toEqual(known)
    }),
  )
})
