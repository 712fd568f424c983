import { GraphQLError } from 'grafast/graphql'
import { expect, test } from 'vitest'
import { maskedError } from '../../src/graphql/answers.ts'

const from = (cause: Error) => new GraphQLError(cause.message, { originalError: cause })

test('an error that was not made for clients is not shown, but told to the log', () => {
  const hidden: unknown[] = []
  const cause = new Error('relation "app.items" does not exist')
  const error = maskedError(from(cause), (each) => hidden.push(each))
  expect(error).toMatchObject({ message: 'Something went wrong on our side.', extensions: { code: 'internal_error' } })
  expect(hidden).toEqual([cause])
})
