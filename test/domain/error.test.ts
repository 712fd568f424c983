import { expect, test } from 'vitest'
import { messageOf } from '../../src/domain/error.ts'

test('an error is told by its message', () => {
  expect(messageOf(new Error('the disk is full'))).toBe('the disk is full')
})

test('an error without a message is told by its name', () => {
  expect(messageOf(new AggregateError([new Error('refused')]))).toBe('AggregateError')
})

test('anything else that was thrown is told as text', () => {
  expect(messageOf('stop')).toBe('stop')
  expect(messageOf(undefined)).toBe('undefined')
})
