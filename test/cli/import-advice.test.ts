import { expect, test } from 'vitest'
import type { Outcome } from '../../src/apps/importer/run.ts'
import { advice } from '../../src/cli/import/advice.ts'

const cause = { column: 'location', value: 'Attic', problem: 'names nothing in this studio', remedy: null }
const outcome: Outcome = {
  ...{ rows: 0, added: 0, changed: 0, unchanged: 0, archived: 0, notes: [], declined: false },
  errors: { count: 1, lines: 1, different: 1, causes: [{ ...cause, count: 1, lines: [2], more: 0 }] },
}

test('missing locations: says how they are made, and when that was asked for, why they were not', () => {
  expect(advice(outcome, undefined, false)).toEqual(['To make the locations that are missing: --make-locations'])
  expect(advice(outcome, undefined, true)).toEqual([
    'Locations are made for names, not for ids, and on the Studio plan only: other plans have one',
  ])
})
