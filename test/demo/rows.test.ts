import { expect, test } from 'vitest'
import { catalogue } from '../../src/dev/demo/catalogue/index.ts'
import { randomFrom } from '../../src/dev/demo/random.ts'
import { itemRows } from '../../src/dev/demo/rows/items.ts'
import { maintenanceRows } from '../../src/dev/demo/rows/maintenance.ts'
import { locationRows } from '../../src/dev/demo/rows/places.ts'
import { assignmentRows, policyRows } from '../../src/dev/demo/rows/policies.ts'
import { choosePieces } from '../../src/dev/demo/rows/selection.ts'
import { demoStudios } from '../../src/dev/demo/studios/index.ts'
import type { StudioProfile } from '../../src/dev/demo/studios/profile.ts'

const defaultLocation = '00000000-0000-4000-8000-000000000000'

function rowsOf(profile: StudioProfile, now = new Date('2026-03-29T12:00:00Z')) {
  const random = randomFrom(profile.name)
  const locations = locationRows(profile, random, defaultLocation)
  const items = itemRows(profile, locations, random, now)
  const policies = policyRows(profile, random, now)
  const assignments = assignmentRows(profile, policies, items, random)
  return { locations, items, policies, assignments, maintenance: maintenanceRows(profile, items, random, now) }
}

test('the catalogue knows real models in every category, none twice', () => {
  expect(catalogue).toHaveLength(16)
  for (const { models } of catalogue) expect(models.length).toBeGreaterThanOrEqual(10)
  const names = catalogue.flatMap(({ models }) => models.map(([manufacturer, model]) => `${manufacturer} ${model}`))
  expect(new Set(names).size).toBe(names.length)
})

test.each(demoStudios)('$name: the same seed makes the same rows, on any day the same but for dates', (profile) => {
  expect(rowsOf(profile)).toEqual(rowsOf(profile))
  const names = (now: string) => rowsOf(profile, new Date(now)).items.map(({ id, name }) => `${id} ${name}`)
  expect(names('2031-12-31T23:59:59Z')).toEqual(names('2026-03-29T12:00:00Z'))
})

test.each(demoStudios)('$name: ids, labels and primary assignments are unique, places are its own', (profile) => {
  const { locations, items, policies, assignments, maintenance } = rowsOf(profile)
  const all = [...locations, ...items, ...policies, ...assignments, ...maintenance].map(({ id }) => id)
  expect(new Set(all).size).toBe(all.length)
  const labels = items.map(({ barcode }) => barcode).filter((barcode) => barcode !== '')
  expect(new Set(labels).size).toBe(labels.length)
  const places = locations.map(({ id }) => id)
  for (const item of items) if (item.location_id !== null) expect(places).toContain(item.location_id)
  const primary = assignments.filter(({ is_primary }) => is_primary).map(({ item_id }) => item_id)
  expect(new Set(primary).size).toBe(primary.length)
  for (const record of maintenance) expect(record.status === 'completed').toBe(record.completed_date !== null)
})

test('a selection has the size asked for, keeps to its price, and refuses what the catalogue cannot fill', () => {
  const pieces = choosePieces(40, 3000, randomFrom('a selection'))
  expect(pieces).toHaveLength(40)
  for (const { model } of pieces) expect(model[2]).toBeLessThanOrEqual(3000)
  expect(new Set(pieces.map(({ category }) => category)).size).toBe(16)
  expect(() => choosePieces(10_000, Number.POSITIVE_INFINITY, randomFrom('too many'))).toThrow(RangeError)
})
