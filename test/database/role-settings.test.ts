import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlState } from '../../src/database/errors.ts'
import { type LoginRole, loginRoles } from '../../src/database/roles.ts'
import { asAdmin, asRole, createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A session that was left behind ends; whoever waits for a lock gives up; a statement that nobody waits for ends. */
const bounded = { idle_in_transaction_session_timeout: '5000ms', lock_timeout: '2000ms', statement_timeout: '5000ms' }

/** A statement whose client has gone ends. */
const noticing = { client_connection_check_interval: '1000ms' }

/** Set where the server runs on Linux: a session whose client vanished without a word ends within half a minute. */
const keepalives = {
  tcp_keepalives_idle: '15s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30000ms',
}

const expected: Record<LoginRole, Record<string, string>> = {
  studio_api: {
    ...bounded,
    ...noticing,
    TimeZone: 'UTC',
    search_path: '',
    default_transaction_read_only: 'on',
    jit: 'off',
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_sort: 'off',
    enable_bitmapscan: 'off',
  },
  studio_recorder: { ...bounded, TimeZone: 'UTC', search_path: '' },
  // Imports write as much as there is: no limit but those that they set by themselves.
  studio_writer: { TimeZone: 'UTC', jit: 'off' },
  studio_console: { ...bounded, ...noticing, TimeZone: 'UTC', search_path: '' },
  studio_graphql: {
    ...bounded,
    ...noticing,
    idle_in_transaction_session_timeout: '20000ms',
    TimeZone: 'UTC',
    search_path: '',
    default_transaction_read_only: 'on',
    jit: 'off',
  },
}

describe('whoever logs in as', () => {
  it.each(loginRoles)('%s is bound by these settings and no others, whatever the service says', async (role) => {
    const { rows } = await asRole(database, role, (client) =>
      client.query<{ name: string; value: string }>(
        `select name, reset_val || coalesce(unit, '') as value from pg_settings where source = 'user'`,
      ),
    )
    const linux = await asAdmin(database, (admin) => admin.query(`select version() like '%linux%' as yes`))
    const settings = linux.rows[0].yes ? { ...expected[role], ...keepalives } : expected[role]
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value.replace(/^""$/, '')]))).toEqual(settings)
  })

  it.each(['studio_api', 'studio_graphql'] as const)('%s writes nothing, before any grant is asked', async (role) => {
    for (const statement of ['create table public.t ()', 'create temporary table t ()']) {
      const failure = await asRole(database, role, (client) => client.query(statement)).catch(sqlState)
      expect(failure, statement).toBe('25006')
    }
  })
})
