import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allParameters } from '../../src/api/operations.ts'
import { readParameters } from '../../src/api/parameters.ts'
import { categories } from '../../src/domain/vocabulary.ts'
import { describedApi, fromAnswers } from './described.ts'
import { strictly } from './strict.ts'
import { createValidator } from './validator.ts'

type Parameter = {
  description: string
  schema: { default?: unknown; type?: string }
  examples?: Record<string, { value: unknown }>
}

const document = strictly(describedApi())
const described = document.components.parameters as Record<string, Parameter>
const names = Object.keys(allParameters)
const parameterOf = (name: string) => allParameters[name] ?? expect.fail(name)
const describedOf = (name: string) => described[name] ?? expect.fail(name)
const { faultsBySchema } = createValidator(document)

/** Whether the description lets a client send this text. */
function isDescribed(name: string, text: string): boolean {
  const { schema } = describedOf(name)
  return faultsBySchema(schema, schema.type === 'integer' ? Number(text) : text).length === 0
}

/** Whether the service takes it. */
function isTaken(name: string, text: string): boolean {
  return (
    readParameters({ [name]: parameterOf(name) }, new URLSearchParams({ [name]: text }).toString()).errors.length === 0
  )
}

describe.each(names)('%s', (name) => {
  test('has a description, and the default that the service assumes', () => {
    expect(describedOf(name).description).toBe(parameterOf(name).description)
    expect(describedOf(name).schema.default ?? null).toBe(
      readParameters({ [name]: parameterOf(name) }, '').values[name],
    )
  })

  test('every example is taken', () => {
    const examples = Object.values(describedOf(name).examples ?? {}).map(({ value }) => String(value))
    expect(examples.length > 0).toBe(!fromAnswers.includes(name))
    for (const text of examples) expect([text, isTaken(name, text)]).toEqual([text, true])
  })
})

test('the examples of category are the 16 categories', () => {
  expect(Object.values(describedOf('category').examples ?? {}).map(({ value }) => value)).toEqual(categories)
})

test.each(['coverage_state', 'status', 'item_id'] as const)(
  '%s: the service takes what is described and nothing else',
  (name) => {
    const values = [
      'uninsured',
      'scheduled',
      'completed',
      'done',
      '',
      'Uninsured',
      'fully_covered',
      crypto.randomUUID(),
      '1',
    ]
    for (const text of values) expect([text, isTaken(name, text)]).toEqual([text, isDescribed(name, text)])
  },
)

test.each(['page', 'per_page'] as const)('%s: the service takes every number that is described', (name) => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (number) => isTaken(name, String(number)) === isDescribed(name, String(number))),
  )
  for (const text of ['0', '-1', '1.5']) expect([isTaken(name, text), isDescribed(name, text)]).toEqual([false, false])
})

describe('updated_since: what the service takes is never against the description', () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
  const date = fc.oneof(
    fc.tuple(digits(4), digits(2), digits(2)).map((parts) => parts.join('-')),
    digits(8),
    fc.tuple(digits(4), digits(3)).map((parts) => parts.join('-')),
    digits(7),
    fc
      .tuple(digits(4), digits(2), fc.integer({ min: 0, max: 8 }))
      .map(([year, week, day]) => `${year}-W${week}-${day}`),
  )
  const time = fc.stringMatching(/^[Tt ]?[0-2]\d(?::?[0-5]\d)?(?:[.,]\d{1,4})?(?:Z|[+ -]0\d(?::?00)?)?$/)
  const text = fc.oneof(
    date,
    fc.tuple(date, time).map((parts) => parts.join('')),
  )

  test('for any text', () => {
    let taken = 0
    const isDescribedToo = (value: string) => {
      if (!isTaken('updated_since', value)) return
      taken += 1
      expect([value, isDescribed('updated_since', value)]).toEqual([value, true])
    }
    fc.assert(fc.property(text, isDescribedToo), { numRuns: 5_000 })
    expect(taken).toBeGreaterThan(500)
  })

  test('and words are not described', () => {
    for (const value of ['now', 'yesterday', '', '1709251200', '2024', '01.03.2024']) {
      expect([isTaken('updated_since', value), isDescribed('updated_since', value)]).toEqual([false, false])
    }
  })
})
