import { expect, it } from 'vitest'
import { describeConnectionError } from '../../src/config/postgres-url.ts'
import { DatabaseUnavailable, isRefusedLogin, isUnavailable } from '../../src/database/errors.ts'

function withCode(code: string, message = code, more: object = {}): Error {
  return Object.assign(new Error(message), { code }, more)
}

const driverWords = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
]
const network = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENOENT']

it.each<[what: string, errors: unknown[], is: boolean]>([
  [
    'that stops or refuses',
    ['08006', '28P01', '3D000', '53300', '53100', '55P03', '57014', '57P01'].map((code) => withCode(code)),
    true,
  ],
  ['that the network does not reach', network.map((code) => withCode(code, code, { syscall: 'connect' })), true],
  ['that the driver lost', [...driverWords.map((words) => new Error(words)), new DatabaseUnavailable('down')], true],
  [
    'that refuses a statement',
    ['22P02', '40001', '42501', 'XX000', '57000', 'ERR_HTTP'].map((code) => withCode(code)),
    false,
  ],
  ['behind a fault of the program', [new Error('something'), new TypeError('x is undefined'), 'text', null], false],
])('whether a database %s is unavailable', (_what, errors, is) => {
  for (const error of errors) expect(isUnavailable(error), String(error)).toBe(is)
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
