import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Audit, Finding } from '../../src/audit/findings.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { newestMigration } from '../../src/migration/migrations.ts'
import { type AuditWatch, checkReadiness, watchAudit, withAuditObjection } from '../../src/service/readiness.ts'
import { keepLog } from '../support/log.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

const newest = await newestMigration()
const newestName = newest.filename

const database = useDatabase()
let api: Pool
beforeAll(async () => {
  api = createPool(database.urlFor('studio_api'), {
    applicationName: 'test readiness',
    size: 1,
    acquireTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    log: makeLogger({ level: 'silent' }),
  })
})
afterAll(async () => {
  await api.close()
})

type Statement = [text: string, values?: unknown[]]

/** Whether a process of this release is ready after these statements were run on its database. */
async function readinessAfter(...statements: Statement[]) {
  await asAdmin(database, async (admin) => {
    for (const [text, values] of statements) await admin.query(text, values)
  })
  return checkReadiness(api, newest)
}

const add = 'insert into graphile_migrate.migrations (filename, hash, previous_hash) values ($1, $2, $3)'
const remove = 'delete from graphile_migrate.migrations where filename >= $1'
const changeHash = 'update graphile_migrate.migrations set hash = $2 where filename = $1'

describe('by the migrations of its database', () => {
  // Each test starts with the migrations of this release.
  let before: { filename: string; hash: string; previous_hash: string | null }[]
  beforeAll(async () => {
    const text = 'select filename, hash, previous_hash from graphile_migrate.migrations order by filename'
    before = (await asAdmin(database, (admin) => admin.query(text))).rows
  })
  beforeEach(async () => {
    await asAdmin(database, async (admin) => {
      await admin.query('delete from graphile_migrate.migrations')
      for (const { filename, hash, previous_hash } of before) await admin.query(add, [filename, hash, previous_hash])
    })
  })

  test('a process is ready on the newest migration of its release, and on a newer one: it is replaced later', async () => {
    expect(await readinessAfter()).toEqual({ ready: true, schemaVersion: newestName })
    const newer = await readinessAfter([add, ['999999.sql', 'sha1:newer', newest.hash]])
    expect(newer).toEqual({ ready: true, schemaVersion: '999999.sql' })
  })

  describe('a process is not ready', () => {
    const needed = `this release needs ${newestName}`
    const foreign = `the database was made by another version (its ${newestName} is not the migration of this release)`
    test.each<[what: string, reason: () => string, ...Statement[]]>([
      [
        'when a backup of an older release was restored',
        () =>
          `the database is not up to date (it has ${before.at(-2)?.filename}, ${needed}): run studio-inventory migrate`,
        [remove, [newestName]],
      ],
      [
        'when its database has no migration',
        () => `the database is not up to date (it has no migration, ${needed}): run studio-inventory migrate`,
        [remove, ['']],
      ],
      [
        'when the newest migration has the name of its own and is another',
        () => `${foreign}: run studio-inventory migrate, which says what to do`,
        [changeHash, [newestName, 'sha1:another']],
      ],
      [
        'when the migrations are not those of its release, and there are newer ones',
        () => `${foreign}: run studio-inventory migrate, which says what to do`,
        [changeHash, [newestName, 'sha1:another']],
        [add, ['999999.sql', 'sha1:newer', 'sha1:another']],
      ],
    ])('%s', async (_what, reason, ...statements) => {
      expect(await readinessAfter(...statements)).toEqual({ ready: false, reason: reason() })
    })

    test('when its database is that of a release without what it asks', async () => {
      const state = await readinessAfter(['alter function access.has_migration(text) rename to had_migration'])
      await asAdmin(database, (admin) =>
        admin.query('alter function access.had_migration(text) rename to has_migration'),
      )
      expect(state).toEqual({
        ready: false,
        reason: `the database is not up to date (${needed}): run studio-inventory migrate`,
      })
    })
  })
})

describe('by its audit', () => {
  const { log, lines } = keepLog()
  let watch: AuditWatch | undefined
  beforeEach(() => {
    vi.useFakeTimers()
    lines.length = 0
  })
  afterEach(() => {
    watch?.stop()
    vi.useRealTimers()
  })

  const tenMinutes = 600_000
  const aMinute = 60_000
  const ready = { ready: true, schemaVersion: '000001.sql' } as const

  function audit(...levels: Finding['level'][]): Audit {
    const finding = { rule: 'a_rule', object: 'app.items', finding: 'is wrong', why: 'Because.', remedy: 'fix it' }
    const findings = levels.map((level) => ({ ...finding, level }))
    const administrators = ['postgres (superuser)']
    return {
      database: 'd',
      serverVersion: '18.6',
      rules: ['a_rule'],
      findings,
      accepted: [],
      administrators,
      unseen: [],
    }
  }

  test('the service is not ready before the first audit; then it is ready if it is otherwise', async () => {
    let finish: (audit: Audit) => void = () => undefined
    const first = new Promise<Audit>((resolve) => {
      finish = resolve
    })
    watch = watchAudit(() => first, log)
    expect(withAuditObjection(ready, watch)).toEqual({ ready: false, reason: 'the audit has not finished yet' })
    finish(audit())
    await vi.advanceTimersByTimeAsync(0)
    expect(withAuditObjection(ready, watch)).toEqual(ready)
    const away = { ready: false, reason: 'the database cannot be used' } as const
    expect(withAuditObjection(away, watch)).toEqual(away)
  })

  test('errors make it unready until an audit finds none; asking runs no audit', async () => {
    const run = vi.fn(async () => audit('error', 'warning'))
    watch = watchAudit(run, log)
    await vi.advanceTimersByTimeAsync(0)
    for (let asked = 0; asked < 100; asked++) {
      expect(watch.objection()).toBe('the audit found errors: run studio-inventory audit')
    }
    expect(run).toHaveBeenCalledTimes(1)
    expect(JSON.stringify(lines)).toContain('a_rule: app.items')
    run.mockResolvedValue(audit())
    await vi.advanceTimersByTimeAsync(tenMinutes)
    expect(watch.objection()).toBeUndefined()
  })

  test('an audit that cannot be run three times in succession is an objection, until it can', async () => {
    const run = vi.fn(async () => audit())
    watch = watchAudit(run, log)
    await vi.advanceTimersByTimeAsync(0)
    run.mockRejectedValue(new Error('a rule fails'))
    await vi.advanceTimersByTimeAsync(tenMinutes)
    await vi.advanceTimersByTimeAsync(aMinute)
    expect(watch.objection()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(aMinute)
    expect(watch.objection()).toBe('the audit cannot be run: run studio-inventory audit')
    run.mockResolvedValue(audit())
    await vi.advanceTimersByTimeAsync(aMinute)
    expect(watch.objection()).toBeUndefined()
  })

  test('the log names the administrators at the start and whenever they change', async () => {
    const run = vi.fn(async () => audit())
    watch = watchAudit(run, log)
    await vi.advanceTimersByTimeAsync(2 * tenMinutes)
    run.mockResolvedValue({ ...audit(), administrators: ['backdoor (superuser)', 'postgres (superuser)'] })
    await vi.advanceTimersByTimeAsync(2 * tenMinutes)
    const told = lines.map((line) => JSON.stringify(line)).filter((line) => line.includes('these are administrators'))
    expect(told).toHaveLength(2)
    expect(told[1]).toContain('backdoor (superuser)')
  })
})
