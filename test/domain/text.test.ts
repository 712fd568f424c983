import { expect, test } from 'vitest'
import { isUuid, messageOf } from '../../src/domain/text.ts'

test('an error is described by its message', () => {
  expect(messageOf(new Error('the disk is full'))).toBe('the disk is full')
})

test('an error without a message is described by its name', () => {
  expect(messageOf(new AggregateError([new Error('refused')]))).toBe('AggregateError')
})

test('any other thrown value is described as text', () => {
  expect(messageOf('stop')).toBe('stop')
  expect(messageOf(undefined)).toBe('undefined')
})

const id = '0b7f3d1e-5c2a-4d9b-8e6f-1a2b3c4d5e6f'

test('a UUID in lower case is one', () => {
  expect(isUuid(id)).toBe(true)
})

test.each([
  id.toUpperCase(),
  id.slice(1),
  `${id}0`,
  id.replaceAll('-', ''),
  `{${id}}`,
  ` ${id}`,
  `${id}\n`,
  '',
  null,
  1,
])('%j is none', (value) => {
  expect(isUuid(value)).toBe(false)
})

test('a package that is not installed is told with the command that installs it', () => {
  const error = new Error("Cannot find package 'pdfkit' imported from /srv/app/dist/report/pdf/pdf.js")
  expect(messageOf(error)).toBe('the package pdfkit is not installed (npm install --include=optional)')
})
