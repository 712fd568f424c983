import { expect, test } from 'vitest'
import { messageOf } from '../../src/domain/text.ts'

test.each<[what: string, thrown: unknown, said: string]>([
  ['without a message by its name', new AggregateError([new Error('refused')]), 'AggregateError'],
  ['that is no error as text', undefined, 'undefined'],
  [
    'of a package that is not installed with the command that installs it',
    new Error("Cannot find package 'pdfkit' imported from /srv/app/dist/report/pdf/pdf.js"),
    'the package pdfkit is not installed (npm install --include=optional)',
  ],
])('what was thrown is described, %s', (_what, thrown, said) => {
  expect(messageOf(thrown)).toBe(said)
})
