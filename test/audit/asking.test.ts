import { beforeAll, describe, expect, it } from 'vitest'
import { askRules, objectsUnsafeForRules, runAudit, ViewsNotInstalled } from '../../src/audit/findings.ts'
import { readMatrix } from '../../src/audit/matrix.ts'
import { type Installed, install, type NotInstalled } from '../../src/audit/scratch.ts'
import { inTransaction } from '../../src/database/client.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { asAdmin, testSecretKey, useDatabase } from '../support/server.ts'

const database = useDatabase()
/** Installs this release once for all tests of this file. */
let installed: Installed | NotInstalled
const installing = async () => installed
beforeAll(async () => {
  installed = await install(database.adminUrl)
})

const difference = (rule: string, object: string) =>
  ({ rule, level: 'error', object, finding: '', why: '', remedy: '', state: '' }) as const

describe('the rules', () => {
  it('run nothing but what comes with the server and what keeps them from being asked when it is another', async () => {
    const { rows } = await asAdmin(database, (admin) =>
      admin.query<{ object: string }>(
        `select distinct i.type || ' ' || i.identity as object
         from pg_rewrite r
         join pg_class v on v.oid = r.ev_class and v.relnamespace = 'audit'::regnamespace
         join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refobjid >= 16384
         cross join lateral pg_identify_object(d.refclassid, d.refobjid, 0) as i`,
      ),
    )
    const objects = rows.map(({ object }) => object)
    expect(objects.length).toBeGreaterThan(20)
    const compared = objects.map((object) => difference('differs_from_this_release', object))
    expect(objectsUnsafeForRules(compared).toSorted()).toEqual(objects.toSorted())
    const harmless = difference('differs_from_this_release', 'function access.current_plan()')
    expect(objectsUnsafeForRules([harmless])).toEqual([])
  })

  it('that cannot be asked are a finding, and what comes after them can still be asked', async () => {
    await inTransaction(database.adminUrl, async (transaction) => {
      await transaction.query('set local role studio_api')
      const [finding, ...others] = await askRules(transaction, [])
      expect(others).toEqual([])
      expect(finding).toMatchObject({ rule: 'rules_not_asked', level: 'error' })
      expect(finding?.finding).toContain('permission denied')
      expect(await transaction.query('select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  it('are not asked for the matrix either, when they are not as they were installed', { timeout: 60_000 }, async () => {
    const url = database.adminUrl
    const alter = (text: string) => asAdmin(database, (admin) => admin.query(`alter view audit.exposed_roles ${text}`))
    await alter('reset (security_invoker)')
    await expect(readMatrix(url, installing))
      .rejects.toThrow(ViewsNotInstalled)
      .finally(() => alter('set (security_invoker = true)'))
    expect((await readMatrix(url, installing)).rows.length).toBeGreaterThan(100)
  })
})

describe('operators and functions that the owner of the database puts first on every search path', () => {
  const named = ['concat_ws(text, text)', 'array_to_string(text[], text)', 'format(text, text)', 'quote_ident(name)']
  const trap = `create schema trap;
    create function trap.equal(text, text) returns boolean language plpgsql as $$ begin raise 'was run'; end $$;
    create function trap.equal(name, text) returns boolean language plpgsql as $$ begin raise 'was run'; end $$;
    create operator trap.= (leftarg = text, rightarg = text, function = trap.equal);
    create operator trap.= (leftarg = name, rightarg = text, function = trap.equal);
    create function trap.max(text) returns text language plpgsql as $$ begin raise 'was run'; end $$;
    ${named.map((name) => `create function trap.${name} returns text language plpgsql as $$ begin raise 'was run'; end $$;`).join('\n')}
    grant usage on schema trap to public;`

  it('do not run when somebody audits or migrates', { timeout: 60_000 }, async () => {
    await asAdmin(database, async (admin) => {
      await admin.query(trap)
      await admin.query(`alter database ${database.name} set search_path = trap, pg_catalog`)
    })
    try {
      // An audit that queried the views without a check would run the functions.
      const careless = asAdmin(database, (admin) => admin.query(`select 1 from pg_settings where name = 'x'::text`))
      await expect(careless).rejects.toThrow('was run')

      const { findings } = await runAudit(database.adminUrl)
      expect(findings.map(({ object, finding }) => `${object} ${finding}`)).toContainEqual(
        expect.stringMatching(/^database setting search_path: trap, pg_catalog/),
      )
      await readMatrix(database.adminUrl, installing)
      const log = makeLogger({ level: 'error', fileDescriptor: 2 })
      expect(await migrate(database.adminUrl, testSecretKey, log)).toEqual([])
    } finally {
      await asAdmin(database, (admin) =>
        admin.query(`alter database ${database.name} reset search_path; drop schema trap cascade`),
      )
    }
  })
})
