import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Audit, auditIn } from '../../src/audit/findings.ts'
import { readSettings } from '../../src/audit/inventory.ts'
import { type Installed, install, type NotInstalled } from '../../src/audit/scratch.ts'
import { useCluster } from '../support/cluster.ts'
import type { Change } from './changes.ts'
import { changesOfCode } from './changes-of-code.ts'
import { changesOfObjects } from './changes-of-objects.ts'
import { changesOfRights } from './changes-of-rights.ts'
import { changesThatHide } from './changes-that-hide.ts'
import { asTested } from './findings.ts'

const own = useCluster('sound')
/** This is the administrator's session. It reads the catalog once and not for each change. */
let session: pg.Client
let installed: Installed | NotInstalled
beforeAll(async () => {
  session = new pg.Client(own.url)
  await session.connect()
  installed = await install(own.url)
}, 120_000)
afterAll(() => session?.end())

/** Returns what an auditor finds after `plant`, and undoes everything that it planted. */
async function audited(
  plant: string,
  accept: readonly string[] = [],
  administrators?: readonly string[],
): Promise<Audit> {
  await session.query('begin')
  try {
    await session.query(plant)
    await session.query('reset role; set local search_path = pg_catalog')
    const transaction = {
      query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
        (await session.query<Row>(text, [...values])).rows,
    }
    const settings = await readSettings(transaction)
    await session.query('set local role studio_auditor')
    const audit = await auditIn(transaction, settings, installed, {
      accept: [...asTested, ...accept],
      administrators,
    })
    expect(audit.unseen).toEqual([])
    return audit
  } finally {
    await session.query('rollback')
  }
}

/** The findings as lines. */
async function told(...asked: Parameters<typeof audited>): Promise<string[]> {
  const { findings } = await audited(...asked)
  return findings.map(({ rule, object, finding }) => `${rule} | ${object} | ${finding}`)
}

async function administratorsAfter(plant: string): Promise<string[]> {
  return (await audited(plant)).administrators
}

/** Returns the expected lines of a change that no finding has. */
function missed([plant, ...finds]: Change, lines: readonly string[]): string[] {
  return finds.flatMap(([rule, object, says = '']) =>
    lines.some((line) => line.startsWith(`${rule} | ${object}`) && line.includes(says))
      ? []
      : `${plant}: ${rule} ${object}`,
  )
}

/** Plants as many changes as one transaction can hold, from the first one on. */
async function plantable(changes: readonly Change[]): Promise<number> {
  await session.query('begin')
  try {
    for (const [planted, [plant]] of changes.entries()) {
      const failed = await session.query(plant).catch(() => 'failed')
      if (failed === 'failed') return Math.max(1, planted)
    }
    return changes.length
  } finally {
    await session.query('rollback')
  }
}

describe('finds', () => {
  it('every change of code, objects and rights', { timeout: 600_000 }, async () => {
    const changes = [...changesOfCode, ...changesOfObjects, ...changesOfRights]
    expect(changes.length).toBeGreaterThanOrEqual(58)
    const never: string[] = []
    for (let at = 0; at < changes.length; ) {
      const some = changes.slice(at, at + (await plantable(changes.slice(at, at + 12))))
      const lines = await told(some.map(([plant]) => plant).join(';\n'))
      for (const change of some) {
        // One change may hide another. Then the audit finds the hidden one when it is alone.
        if (missed(change, lines).length > 0) never.push(...missed(change, await told(change[0])))
      }
      at += some.length
    }
    expect(never).toEqual([])
  })

  it.each(changesThatHide.map((change) => ({ change })))('$change.0', async ({ change }) => {
    const lines = await told(change[0])
    expect(missed(change, lines), lines.join('\n')).toEqual([])
  })
})

/** The name by which `--accept` accepts a finding on an object. */
async function stateOf(plant: string, object: string): Promise<string> {
  const finding = (await audited(plant)).findings.find(({ remedy }) => remedy.includes(`'${object}@`))
  return /'([^']+@[^']+)'$/.exec(finding?.remedy ?? '')?.[1] ?? 'none'
}

describe('accepted', () => {
  const trigrams = 'create extension pg_trgm schema public;'

  it('is an extension with all its objects, in exactly this state', async () => {
    expect((await told(trigrams)).filter((line) => line.includes('not_installed'))).toHaveLength(1)
    const accepted = await stateOf(trigrams, 'extension pg_trgm')
    expect(accepted).toMatch(/^extension pg_trgm@\S{14}$/)
    expect(await told(trigrams, [accepted])).toEqual([])
    expect(await told(trigrams, ['extension pg_trgm'])).toHaveLength(1)
  })

  it.each([
    [
      'something of somebody else’s added',
      `create function public.leak() returns bigint language sql security definer return 1;
        alter extension pg_trgm add function public.leak()`,
      'public.leak()',
    ],
    ['one of its functions granted', 'grant execute on function public.show_limit() to studio_analyst', 'pg_trgm'],
    ['one of its functions leakproof', 'alter function public.show_limit() leakproof', 'public.show_limit()'],
  ])('is no extension that is another since: %s', async (_what, change, says) => {
    const accepted = await stateOf(trigrams, 'extension pg_trgm')
    const lines = await told(`${trigrams} ${change}`, [accepted])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(says)
  })

  it('is an object only in the named state', async () => {
    const root = 'create role studio_test_root superuser;'
    const accepted = await stateOf(root, 'role studio_test_root')
    expect(await told(root, [accepted])).toEqual([])
    const grown = `${root} alter role studio_test_root login replication`
    expect(await told(grown, [accepted])).toHaveLength(1)
    expect(await told(grown, ['role studio_test_root'])).toEqual([])
  })

  it('is by the name of a rule no role of that name', async () => {
    const lines = await told(
      'create role server_below_safe_version login in role studio_analyst; grant usage on schema app to server_below_safe_version',
    )
    for (const rule of ['login_without_limits', 'usage_on_app', 'differs_from_this_release']) {
      expect(lines.some((line) => line.startsWith(`${rule} | role server_below_safe_version`))).toBe(true)
    }
  })
})

describe('what an analyst can do to itself or its group', () => {
  const analyst = `create role analyst_0123456789ab login connection limit 2 valid until '2100-01-01' in role studio_analyst;
    alter role analyst_0123456789ab set search_path = api_v1; alter role analyst_0123456789ab set default_transaction_read_only = on;
    alter role analyst_0123456789ab set statement_timeout = 60000;
    alter role analyst_0123456789ab set idle_in_transaction_session_timeout = 60000;
    alter role analyst_0123456789ab set temp_file_limit = '1GB'; alter role analyst_0123456789ab set timezone = 'UTC';`

  it.each([
    `alter role analyst_0123456789ab set work_mem = '1GB'`,
    `alter role analyst_0123456789ab set application_name = 'postgres://u:hidden@db.example/x'`,
    'alter role analyst_0123456789ab reset search_path',
    'alter role analyst_0123456789ab reset statement_timeout',
    'alter default privileges for role analyst_0123456789ab grant select on tables to public',
    `alter role studio_analyst set work_mem = '1GB'`,
    'alter default privileges for role studio_analyst grant select on tables to public',
  ])('is a warning, which leaves readiness as it is: %s', async (text) => {
    const { findings } = await audited(`${analyst} ${text}`)
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.filter(({ level }) => level !== 'warning')).toEqual([])
  })

  it('is an error where only an administrator can, and nothing before', async () => {
    expect((await audited(analyst)).findings).toEqual([])
    const texts = ['session_replication_role = replica', `temp_file_limit = '2GB'`]
    for (const text of texts) {
      const { findings } = await audited(`${analyst} alter role analyst_0123456789ab set ${text}`)
      expect(findings.map(({ level }) => level)).toEqual(['error'])
    }
  })
})

describe('an administrator', () => {
  const backdoor = 'create role backdoor login superuser createrole; alter schema graphile_migrate owner to backdoor'

  it('counts if it is named, not if it looks like one', async () => {
    expect(await administratorsAfter('select')).toHaveLength(1)
    expect(await administratorsAfter(backdoor)).toContain('backdoor (superuser, makes roles)')
  })

  it('must be named by the configuration', async () => {
    const own = (await administratorsAfter('select')).map((name) => name.replace(/ \(.*/, ''))
    expect(await told('select', [], own)).toEqual([])
    const lines = await told(backdoor, [], own)
    const known = /role backdoor is not of this release|\| role backdoor \|/
    expect(lines.some((line) => known.test(line) && line.includes('superuser yes'))).toBe(true)
  })
})
