import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { createLogin, type Wanted } from '../../src/analysts/logins.ts'
import { asAdministrator } from '../../src/database/session.ts'
import type { Analyst, Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { asAdmin, asRole, type TestDatabase, withClient } from '../support/server.ts'

export type Office = {
  database: TestDatabase
  cast: Cast
  /** Makes a login as the command does. It is removed after the tests of the file. */
  hire(studioId: string, wanted?: Partial<Wanted>): Promise<Analyst>
}

/** Gives the test file a database with the cast in it, and real logins for its studios. */
export function useOffice(): Office {
  const office = {} as Office
  const hired: string[] = []
  beforeAll(async () => {
    Object.assign(office, await createCastDatabase())
    office.hire = async (studioId, wanted = {}) => {
      const all = { studioId, userId: null, validDays: 1, connections: 3, timeout: 60, ...wanted }
      const { login, url } = await asAdministrator(office.database.adminUrl, (transaction) =>
        createLogin(transaction, office.database.adminUrl, all),
      )
      hired.push(login)
      return { login, url }
    }
  })
  afterAll(async () => {
    await office.database?.drop()
    // Logins belong to the whole server.
    await withClient(new URL('/postgres', office.database.adminUrl).href, async (admin) => {
      for (const login of hired) await admin.query(`drop role if exists "${login}"`)
    })
  })
  return office
}

/** A statement that does not end by itself. */
export const endless = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b'

/** The SQLSTATE or message with which a statement failed; 'done' when it did not fail. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
}

/** Rows of a statement of the administrator. */
export async function told<Row extends pg.QueryResultRow>(
  { database }: Office,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await asAdmin(database, (admin) => admin.query<Row>(text, values))).rows
}

/** Shortens how long a login's statements may run. */
export async function limit(office: Office, { login }: Analyst, interval: string): Promise<void> {
  const text = 'update access.analyst_logins set statement_limit = $2::text::interval where login = $1'
  await told(office, text, [login, interval])
}

/** The error with which logging in fails; 'done' when it does not fail. */
export const failureOfLogin = (url: string) => failureOf(withClient(url, (client) => client.query('select 1')))

export type Ended = { login: string; pid: number; action: string; reason: string }

/** Lets the watchdog check all sessions once, as the service does. */
export async function lookOf({ database }: Office): Promise<Ended[]> {
  const text = 'select login, pid, action, reason from access.watch_analysts()'
  return (await asRole(database, 'studio_recorder', (client) => client.query<Ended>(text))).rows
}
