import { expect, it } from 'vitest'
import { findings, rulesOf, withoutServer } from '../audit/findings.ts'
import { asAdmin, useDatabase } from '../support/server.ts'
import { inDiscarded } from './support.ts'

const database = useDatabase()

it('the audit finds nothing in a database as the migrations make it', async () => {
  await asAdmin(database, (admin) =>
    inDiscarded(admin, async () => {
      const rules = await rulesOf(admin)
      expect(rules.length).toBeGreaterThanOrEqual(25)
      expect(await findings(admin, withoutServer(rules))).toEqual([])
    }),
  )
})
