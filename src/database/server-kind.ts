import type pg from 'pg'
import type { ServerKind } from '../config/postgres-url.ts'
import { sqlState } from './errors.ts'

/** The system identifier, and the timeline: the next one each time a standby is promoted. */
export type History = { system: string; timeline: number }

/** What a session has learned of its server. */
export type Seen = {
  standby: boolean
  /** Whether its transactions are read-only: by the server's setting, the role's, or because it is a standby. */
  readOnly: boolean
  /** Which history a primary continues; undefined when it was not asked for, or the login may not know. */
  history?: History | undefined
}

/** Whether a server is of the kind that is wanted, as libpq decides; `preferred` false accepts what is second best. */
export function suits({ standby, readOnly }: Seen, kind: ServerKind, preferred: boolean): boolean {
  switch (kind) {
    case 'any':
      return true
    case 'read-write':
      return !readOnly && !standby
    case 'read-only':
      return readOnly || standby
    case 'primary':
      return !standby
    case 'standby':
      return standby
    case 'prefer-standby':
      return standby || !preferred
  }
}

/** What a server is, in a word for a message. */
export function kindOf({ standby, readOnly }: Seen): string {
  return standby ? 'standby' : readOnly ? 'read-only' : 'read-write'
}

/**
 * Asks the server of a new connection what it is: also through a pooler, which does not pass on what servers report.
 *
 * @param history whether to ask a primary for its history too
 */
export async function lookAt(client: pg.ClientBase, history: boolean): Promise<Seen> {
  const { rows } = await client.query<{ standby: string; read_only: string }>(
    `select pg_catalog.pg_is_in_recovery()::text as standby, pg_catalog.current_setting('transaction_read_only') as read_only`,
  )
  const [row] = rows
  const seen = { standby: row?.standby !== 'false', readOnly: row?.read_only !== 'off' }
  return history && !seen.standby ? { ...seen, history: await historyOf(client) } : seen
}

/** Undefined for logins that may not ask (the console's), and in a database that is not migrated yet. */
async function historyOf(client: pg.ClientBase): Promise<History | undefined> {
  try {
    const { rows } = await client.query<{ history: string }>('select access.history() as history')
    const [system = '', timeline = ''] = rows[0]?.history.split('/') ?? []
    return { system, timeline: Number.parseInt(timeline, 16) }
  } catch (error) {
    if (sqlState(error) === undefined) throw error
    return undefined
  }
}

/** Keeps up to date what a server reports when it changes: a standby that is promoted, a primary that is made read-only. */
export function watch(client: pg.ClientBase, seen: Seen): void {
  const { connection } = client as unknown as { connection?: NodeJS.EventEmitter }
  connection?.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) => {
    const on = message.parameterValue === 'on'
    if (message.parameterName === 'in_hot_standby') seen.standby = on
    if (message.parameterName === 'default_transaction_read_only') seen.readOnly = on || seen.standby
  })
}
