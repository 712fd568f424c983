import { beforeAll, describe, expect, it } from 'vitest'
import type { Analyst } from '../support/cast.ts'
import { asAdmin, withClient } from '../support/server.ts'
import { failureOf, useOffice } from './support.ts'

// What tells when somebody else's request came, and by which filter, tells of another studio.

const office = useOffice()

let analyst: Analyst
let other: Analyst
beforeAll(async () => {
  analyst = await office.hire(office.cast.a.id)
  other = await office.hire(office.cast.b.id)
})

const denied = (text: string) => withClient(analyst.url, (client) => failureOf(client.query(text)))

describe('an analyst', () => {
  it.each([
    'select last_idx_scan from pg_stat_all_indexes',
    'select seq_scan, n_tup_ins from pg_stat_all_tables',
    'select n_mod_since_analyze, last_autovacuum from pg_stat_user_tables',
    'select * from pg_stat_wal',
    'select * from pg_locks',
    'select pg_last_committed_xact()',
    'select pg_current_xact_id()',
    'select txid_current()',
  ])('is not told what other sessions do, and takes no transaction id: %s', async (text) => {
    // Some columns came with later versions; there they are denied, before that they are not there.
    expect(await denied(text)).toMatch(text.includes('last_idx_scan') ? /^(42501|42703)$/ : /^42501$/)
  })

  it.each([
    'select * from pg_replication_slots',
    'select pg_current_wal_lsn(), pg_is_in_recovery()',
    `select xpath('/a', '<a/>'), pg_sleep(0)`,
  ])('may ask what tools ask and what shows nothing of others: %s', async (text) => {
    await withClient(analyst.url, (client) => client.query(text))
  })

  it('learns about how many rows a table has, as tools ask', async () => {
    await withClient(analyst.url, async (client) => {
      const { rows } = await client.query('select relname, n_live_tup from pg_stat_user_tables')
      expect(rows.length).toBeGreaterThan(5)
    })
  })
})

it('a member of pg_monitor still sees everything', async () => {
  await asAdmin(office.database, async (admin) => {
    await admin.query('begin')
    await admin.query('create role studio_test_monitor in role pg_monitor; set local role studio_test_monitor')
    for (const view of ['pg_stat_all_indexes', 'pg_stat_all_tables', 'pg_stat_database', 'pg_locks', 'pg_stat_wal']) {
      await admin.query(`select * from ${view} limit 1`)
    }
    await admin.query('rollback')
  })
})

it('nothing in the catalog tells what another studio’s analyst is doing, or calls it', async () => {
  const { cast } = office
  await withClient(other.url, async (theirs) => {
    await theirs.query(`set application_name = '${cast.canary}'`)
    await theirs.query('begin')
    await theirs.query(`select * from items where name = '${cast.canary}'`)
    await theirs.query(`prepare ours as select '${cast.canary}'`)
    await theirs.query(`listen "${cast.canary}"`)

    const read: string[] = []
    await withClient(analyst.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select c.oid::regclass::text as name from pg_class c
         where c.relkind in ('r', 'v') and c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
           -- The names of all time zones, B's among them, and as it writes itself.
           and c.relname !~ '^pg_timezone_'
         order by 1`,
      )
      for (const { name } of rows) {
        const text = await client.query(`select t::text as row from ${name} t`).then(
          // Which time zones logins have is shown to all: docs/row-level-security.md.
          (result) => result.rows.map(({ row }) => row.replace(/TimeZone=[^,}]+/, '')).join('\n'),
          (error: Error) => error.message,
        )
        cast.expectNoCanary(text)
        if (!text.startsWith('permission denied')) read.push(name)
      }
    })
    expect(read).toContain('pg_roles')
    expect(read).toContain('pg_prepared_statements')
    expect(read).not.toContain('pg_stat_activity')
  })
}, 90_000)
