import { expect, it } from 'vitest'
import { checkServerVersion, UnsupportedServer } from '../../src/migration/version.ts'

it.each([
  [150019, 'use 15.20 or newer'],
  [180004, 'use 18.6 or newer'],
])('warns about server_version_num %i', (version, advice) => expect(checkServerVersion(version)).toContain(advice))

it.each([150020, 180006, 190000])('finds nothing wrong with %i', (version) => {
  expect(checkServerVersion(version)).toBeUndefined()
})

it('refuses servers below 15', () => {
  expect(() => checkServerVersion(140099)).toThrow(UnsupportedServer)
  expect(() => checkServerVersion(90624)).toThrow('PostgreSQL 9 is too old; use PostgreSQL 15 to 18')
})
