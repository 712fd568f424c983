import { expect, it } from 'vitest'
import { findings, rulesOf, withoutServer } from '../audit/findings.ts'
import { gateMessage } from '../support/gate-message.ts'
import { asAdmin, useDatabase } from '../support/server.ts'
import { inDiscarded } from './support.ts'

const database = useDatabase()

it('the audit finds nothing in a database as the migrations make it', async () => {
  await asAdmin(database, (admin) =>
    inDiscarded(admin, async () => {
      const rules = await rulesOf(admin)
      expect(rules.length).toBeGreaterThanOrEqual(25)
      const wrong = gateMessage({
        wrong: 'the audit finds something in a database as the migrations make it',
        edit: 'what each remedy names, and include it in migrations/current.sql',
        run: "npm run commit-migration -- 'what changes'",
      })
      expect(await findings(admin, withoutServer(rules)), wrong).toEqual([])
    }),
  )
})
