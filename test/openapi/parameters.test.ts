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
  test('every example is taken', () => {
    const examples = Object.values(describedOf(name).examples ?? {}).map(({ value }) => String(value))
    expect(examples.length > 0).toBe(!fromAnswers.includes(name))
    for (const text of examples) expect([text, isTaken(name, text)]).toEqual([text, true])
  })
})

test('the examples of category are the 16 categories', () => {
  expect(Object.values(describedOf('category').examples ?? {}).map(({ value }) => value)).toEqual(categories)
})

test.each(['page', 'per_page'] as const)('%s: the service takes every number that is described', (name) => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (number) => isTaken(name, String(number)) === isDescribed(name, String(number))),
  )
  for (const text of ['0', '-1', '1.5']) expect([isTaken(name, text), isDescribed(name, text)]).toEqual([false, false])
})
