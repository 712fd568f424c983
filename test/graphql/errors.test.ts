import { SafeError } from 'postgraphile/grafast'
import { GraphQLError } from 'postgraphile/graphql'
import { expect, test } from 'vitest'
import { maskedError } from '../../src/apps/graphql/answers.ts'

const from = (cause: Error) => new GraphQLError(cause.message, { originalError: cause })
const shown = (cause: Error) => maskedError(from(cause), () => undefined)

test('a query that takes too long to plan gets an error that says what to do', () => {
  const cause = new SafeError(
    'Operation took too long to plan and was aborted. Please simplify the request and try again.',
  )
  expect(shown(cause)).toMatchObject({
    message: 'The query takes too long to plan: split it into several.',
    extensions: { code: 'too_much' },
  })
})

test('an error that was not made for clients is not shown, but told to the log', () => {
  const hidden: unknown[] = []
  const cause = new Error('relation "app.items" does not exist')
  const error = maskedError(from(cause), (each) => hidden.push(each))
  expect(error).toMatchObject({ message: 'Something went wrong on our side.', extensions: { code: 'internal_error' } })
  expect(hidden).toEqual([cause])
})
