import { afterAll, beforeAll, expect, it } from 'vitest'
import { findings, rulesOf, withoutServer } from '../audit/findings.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { inDiscarded } from './support.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('the audit finds nothing in a database as the migrations make it', async () => {
  await asAdmin(database, (admin) =>
    inDiscarded(admin, async () => {
      const rules = await rulesOf(admin)
      expect(rules.length).toBeGreaterThanOrEqual(25)
      expect(await findings(admin, withoutServer(rules))).toEqual([])
    }),
  )
})
