import { expect, it } from 'vitest'
import {
  DatabaseUnavailable,
  describeConnectionError,
  isRefusedLogin,
  isUnavailable,
} from '../../src/database/errors.ts'

function withCode(code: string, message = 'x', more: object = {}): Error {
  return Object.assign(new Error(message), { code }, more)
}

it.each(['08006', '28P01', '3D000', '53300', '53100', '55P03', '57014', '57P01'])(
  'takes SQLSTATE %s for a database that cannot be used',
  (code) => expect(isUnavailable(withCode(code))).toBe(true),
)

it.each(['22P02', '40001', '42501', 'XX000', '57000'])('takes SQLSTATE %s for an error of the statement', (code) =>
  expect(isUnavailable(withCode(code))).toBe(false),
)

it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENOENT'])(
  'takes the network error %s for a database that cannot be used',
  (code) => expect(isUnavailable(withCode(code, 'x', { syscall: 'connect' }))).toBe(true),
)

it.each([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
])('knows the driver’s words: %s', (message) => expect(isUnavailable(new Error(message))).toBe(true))

it('takes nothing else for a database that cannot be used', () => {
  for (const error of [new Error('something'), new TypeError('x is undefined'), withCode('ERR_HTTP'), 'text', null]) {
    expect(isUnavailable(error)).toBe(false)
  }
  expect(isUnavailable(new DatabaseUnavailable('down'))).toBe(true)
})

it('tells a refused login from a server that is away', () => {
  expect(isRefusedLogin(withCode('28P01'))).toBe(true)
  expect(isRefusedLogin(withCode('3D000'))).toBe(true)
  expect(isRefusedLogin(withCode('ECONNREFUSED'))).toBe(false)
})

it('describes a connection error in one line, without the password', () => {
  const line = describeConnectionError('postgres://admin:hunter2@db:5433/studio', withCode('28P01', 'no such password'))
  expect(line).toBe('cannot use the PostgreSQL database studio at db:5433 as admin: no such password')
  // Connecting to a name with several addresses fails with an error that has no message of its own.
  const several = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  expect(describeConnectionError('postgres://localhost/x', several)).toContain('ECONNREFUSED')
})
