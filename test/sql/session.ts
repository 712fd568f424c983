import type pg from 'pg'
import { withClient } from '../support/server.ts'

export type Columns = Record<string, unknown>

/** A connection of its own; closed after the file. */
export type Session = {
  rows<Row extends object = Columns>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The one row of a statement. */
  row<Row extends object = Columns>(text: string, values?: readonly unknown[]): Promise<Row>
  /** The first column of the one row of a statement. */
  value<Value = string>(text: string, values?: readonly unknown[]): Promise<Value>
  /** Begins a transaction in the session of a studio. */
  begin(studio: { id: string }): Promise<void>
  client: pg.Client
}

/** Opens a session that stays open until the test calls `close`. */
export function openSession(url: string): Promise<{ session: Session; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const closed = withClient(url, async (client) => {
      await new Promise<void>((close) => {
        resolve({ session: sessionOf(client), close: () => Promise.resolve(close()).then(() => closed) })
      })
    })
    closed.catch(reject)
  })
}

function sessionOf(client: pg.Client): Session {
  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows
  const row = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const all = await rows<Row>(text, values)
    const [first] = all
    if (first === undefined || all.length > 1) throw new Error(`expected one row, got ${all.length}: ${text}`)
    return first
  }
  return {
    client,
    rows,
    row,
    value: async <Value>(text: string, values: readonly unknown[] = []) =>
      Object.values(await row(text, values))[0] as Value,
    begin: async (studio) => {
      await client.query('begin')
      await client.query(`select set_config('studio.id', $1, true)`, [studio.id])
    },
  }
}

/** Runs `work` in one transaction of this session, in the session of a studio. */
export async function inStudio<Result>(
  session: Session,
  studio: { id: string },
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  await session.begin(studio)
  try {
    const result = await work(session)
    await session.client.query('commit')
    return result
  } catch (error) {
    await session.client.query('rollback')
    throw error
  }
}

/** Inserts a row in an open session. Makes up the columns that must be there and are not given. */
export async function insert(session: Session, studioId: string, table: string, columns: Columns): Promise<string> {
  const needed: Record<string, Columns> = {
    items: { name: 'An item' },
    locations: { name: 'A room' },
    policies: { name: 'A policy' },
    maintenance_records: { title: 'A check' },
    item_photos: { storage_key: 'photos/one.jpg' },
  }
  const all = { studio_id: studioId, ...needed[table], ...columns }
  const places = Object.keys(all).map((_, index) => `$${index + 1}`)
  const text = `insert into app.${table} (${Object.keys(all).join(', ')}) values (${places.join(', ')}) returning id`
  return session.value(text, Object.values(all))
}
