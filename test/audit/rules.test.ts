import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkServerVersion } from '../../src/migration/migrate.ts'
import { gateMessage } from '../support/gate-message.ts'
import { asAdmin, useDatabase } from '../support/server.ts'
import { type Finding, findings, rulesOf, withoutServer } from './findings.ts'
import { harmless } from './harmless.ts'
import { offences } from './offences.ts'

/** Prints what a rule finds before the test has changed anything. */
const unsound = gateMessage({
  wrong: 'the audit finds something in a database that is as the migrations install it',
  edit: 'what the finding names; for a grant sql/grants/ or sql/audit/views/allowed_privileges.sql; include it in migrations/current.sql',
  run: "npm run commit-migration -- 'what changes'",
})

/** Roles belong to the whole server. Roles that another test has made are gone soon. */
const othersLeave = { timeout: 10_000, interval: 100 }
const expectSound = (admin: pg.Client, some: string[]) =>
  vi.waitFor(async () => expect(await findings(admin, some), unsound).toEqual([]), othersLeave)

const database = useDatabase()
let rules: string[]
/** This is the administrator's session. It reads the catalog once and not for each case. */
let session: pg.Client
beforeAll(async () => {
  rules = await asAdmin(database, rulesOf)
  session = new pg.Client(database.adminUrl)
  await session.connect()
  // Uses the same settings as the audit. Compiling the rules takes longer than running them.
  await session.query('set jit = off')
})
afterAll(async () => {
  await session?.end()
})

describe('the rules', () => {
  it('all have the same columns, so that they can be read as one', async () => {
    const { rows } = await asAdmin(database, (admin) =>
      admin.query<{ name: string; columns: string[] }>(
        `select c.relname as name, array_agg(a.attname || ' ' || a.atttypid::regtype order by a.attnum) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
         where c.relnamespace = 'audit'::regnamespace and c.relname = any ($1) group by 1`,
        [[...rules, 'findings']],
      ),
    )
    const wanted = ['rule', 'level', 'object', 'finding', 'why', 'remedy'].map((name) => `${name} text`)
    expect(rows.map((row) => row.columns)).toEqual([...rules, 'findings'].map(() => wanted))
  })

  it('are each shown to find something', () => {
    const wrong = gateMessage({
      wrong: 'a rule is not shown to find anything, or what shows it has no rule',
      edit: 'test/audit/offences.ts and the file beside it that has offences of this kind',
      run: 'npx vitest run test/audit/rules.test.ts',
    })
    expect(Object.keys(offences).toSorted(), wrong).toEqual(rules.toSorted())
  })

  it('are all in audit.findings', async () => {
    const { rows } = await asAdmin(database, (admin) =>
      admin.query<{ name: string }>(
        `select distinct c.relname as name
         from pg_rewrite r
         join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
         join pg_class c on c.oid = d.refobjid and c.oid <> r.ev_class
         where r.ev_class = 'audit.findings'::regclass order by 1`,
      ),
    )
    const wrong = gateMessage({
      wrong: 'a rule is not in audit.findings',
      edit: 'sql/audit/views/findings.sql, and include it in migrations/current.sql',
      run: "npm run commit-migration -- 'what changes'",
    })
    expect(rows, wrong).toEqual(rules.map((name) => ({ name })))
  })

  it('know the same safe versions as the service', async () => {
    const { rows } = await asAdmin(database, (admin) =>
      admin.query<{ major: number; minor: number }>('select major, minor from audit.safe_versions order by 1'),
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { major, minor } of rows) {
      expect(checkServerVersion(major * 10_000 + minor)).toBeUndefined()
      expect(checkServerVersion(major * 10_000 + minor - 1)).toContain(`${major}.${minor}`)
    }
  })

  it('can be read with only the auditor role', async () => {
    await inTransaction(async (admin) => {
      await admin.query('create role studio_test_spy in role studio_auditor; set local role studio_test_spy')
      for (const rule of withoutServer(rules)) {
        expect((await admin.query(`select * from audit.${rule}`)).rows, unsound).toEqual([])
      }
    })
  })
})

describe.each(Object.entries(offences))('%s', (rule, cases) => {
  it.each(cases.map((offence) => ({ offence })))(
    '$offence.0: found, and nothing after its cure',
    async ({ offence: [offend, objects, cure, prepare] }) => {
      await inTransaction(async (admin) => {
        if (prepare) {
          await admin.query(prepare)
          await expectSound(admin, [rule])
        }
        await admin.query(offend)

        const wanted = [objects].flat().map((object) => object.replace(':database', database.name))
        let found: Finding[] = []
        const look = async () => {
          found = await findings(admin, [rule])
          expect(found.map(({ object }) => object)).toEqual(wanted)
        }
        await vi.waitFor(look, othersLeave)
        for (const finding of found) {
          expect(finding.rule).toBe(rule)
          expect(['error', 'warning']).toContain(finding.level)
          expect(finding.finding).toMatch(/^\S.+\S$/)
          expect(finding.why).toMatch(/^[A-Z].+\.$/)
        }

        for (const { remedy } of found) await admin.query(cure ?? remedy)
        await expectSound(admin, [rule])
      })
    },
  )
})

it('nothing is found in what looks like an offence and is none', async () => {
  await inTransaction(async (admin) => {
    for (const [at, change] of Object.values(harmless).entries())
      await admin.query(change.replace(/\b(studio_test_\w+|other)\b/g, `$1_${at}`))
    await expectSound(admin, withoutServer(rules))
  })
})

/** The test undoes everything here. Roles belong to the whole server. */
async function inTransaction(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  await session.query('begin')
  try {
    await work(session)
  } finally {
    await session.query('rollback')
  }
}
