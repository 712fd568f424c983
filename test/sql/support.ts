import { afterAll, beforeAll, expect } from 'vitest'
import type { LoginRole } from '../../src/database/roles.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { openSession, type Session } from './session.ts'
import { makeStudio, type Studio, type StudioOptions } from './studio.ts'

export { type Columns, inStudio, insert, type Session } from './session.ts'
export { askBy, askWith, type Issued, issue, parsed, type Studio, type Valuation } from './studio.ts'

export type Sql = {
  database: TestDatabase
  /** The administrator, whom row-level security does not bind. */
  admin: Session
  owner: Session
  writer: Session
  api: Session
  connect(role: LoginRole | 'studio_owner' | 'admin'): Promise<Session>
  studio(options?: StudioOptions): Promise<Studio>
  /** Waits until a session waits for a lock. Only then may the transaction end that holds it. */
  blocked(session: Session): Promise<void>
  /** Stops access.clock() at this moment. */
  stopClock(moment: string): Promise<void>
  startClock(): Promise<void>
}

/** Gives the test file a database, and connections to it. To be called at the top. */
export function useSql(): Sql {
  const sql = {} as Sql
  const open: (() => Promise<void>)[] = []
  beforeAll(async () => {
    sql.database = await createTestDatabase()
    sql.connect = async (role) => {
      const { admin, urlFor } = { admin: sql.database.adminUrl, urlFor: sql.database.urlFor }
      const { session, close } = await openSession(role === 'admin' ? admin : urlFor(role))
      open.push(close)
      return session
    }
    sql.admin = await sql.connect('admin')
    sql.owner = await sql.connect('studio_owner')
    sql.writer = await sql.connect('studio_writer')
    sql.api = await sql.connect('studio_api')
    sql.studio = (options = {}) => makeStudio(sql, options)
    sql.blocked = async ({ client }) => {
      const waits = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
      const look = () => sql.admin.rows(waits, [Reflect.get(client, 'processID')])
      await expect.poll(look, { timeout: 30_000, interval: 10 }).toHaveLength(1)
    }
    sql.stopClock = async (moment) => {
      await setClock(sql, `timestamptz '${moment}'`)
      // By this clock, no heartbeat has announced a later moment.
      await sql.owner.rows(
        `select setval('app.announced_moment', least(last_value, extract(epoch from $1::timestamptz) * 1000)::bigint)
         from app.announced_moment`,
        [moment],
      )
    }
    sql.startClock = () => setClock(sql, 'pg_catalog.now()')
  })
  afterAll(async () => {
    await Promise.all(open.map((close) => close()))
    await sql.database?.drop()
  })
  return sql
}

async function setClock(sql: Sql, expression: string): Promise<void> {
  await sql.owner.rows(`create or replace function access.clock() returns timestamptz
    language sql stable security invoker return ${expression}`)
}
