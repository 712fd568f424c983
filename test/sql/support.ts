import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { digestOf, newSecret, tokenOf } from '../../src/auth/token.ts'
import type { Answer } from '../../src/database/answer.ts'
import type { LoginRole } from '../../src/database/roles.ts'
import { createTestDatabase, type TestDatabase, withClient } from '../support/server.ts'

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

export type Plan = 'pro' | 'pro_insure' | 'studio'

/** A studio with its owner, a token of the owner's, and the writes that studio_writer makes for it. */
export type Studio = {
  id: string
  owner: string
  digest: Buffer
  /** One transaction as studio_writer in this studio's session. */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** Inserts a row into a table of `app` and returns its id. */
  add(table: string, columns?: Columns): Promise<string>
  change(table: string, id: string, columns: Columns): Promise<void>
  remove(table: string, id: string): Promise<void>
  get<Row extends object = Columns>(table: string, id: string): Promise<Row>
  /** When a row was last updated, in milliseconds since 1970. */
  updatedAt(table: string, id: string): Promise<number>
  /** Gives an item a market value. */
  market(itemId: string, value: string, asOf?: string): Promise<void>
  /** The item's projection, null when it is missing. */
  valuation(itemId: string): Promise<Valuation | null>
  dataVersion(): Promise<number>
  /** Asks an operation of api_v1, logged in as studio_api, with this studio's token. */
  ask(operation: string, ...values: readonly unknown[]): Promise<TextAnswer>
}

/** An answer by a driver that decodes everything. */
export type TextAnswer = Answer & { data: string | null }

export type Valuation = {
  current_estimated_value: string | null
  value_source: string
  coverage_state: string
  gap_amount: string | null
  revalue_on: string | null
}

export type Sql = {
  database: TestDatabase
  /** The administrator, whom row-level security does not bind. */
  admin: Session
  owner: Session
  writer: Session
  api: Session
  connect(role: LoginRole | 'studio_owner' | 'admin'): Promise<Session>
  studio(options?: { plan?: Plan; timezone?: string; name?: string }): Promise<Studio>
  /** Stops access.clock() at this moment. */
  stopClock(moment: string): Promise<void>
  startClock(): Promise<void>
}

/** Gives the test file a database of its own, and connections to it. To be called at the top of the file. */
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
    sql.stopClock = async (moment) => {
      await setClock(sql, `timestamptz '${moment}'`)
      // By this clock nothing later was announced.
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

function openSession(url: string): Promise<{ session: Session; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const closed = withClient(url, async (client) => {
      await new Promise<void>((close) => {
        resolve({
          session: sessionOf(client),
          close: async () => {
            close()
            await closed
          },
        })
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

async function makeStudio(sql: Sql, { plan = 'studio', timezone = 'UTC', name }: Parameters<Sql['studio']>[0] & {}) {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const id = await sql.owner.value(`select access.create_studio($1, $2, 'Olga Owner', $3, $4, 'EUR')`, [
    name ?? `Studio of ${email}`,
    email,
    plan,
    timezone,
  ])
  const owner = await sql.owner.value(`select access.owner_of($1)`, [id])
  const { digest } = await issue(sql, { studio: id, issuer: owner })
  return studioOf(sql, id, owner, digest)
}

export type Issued = { digest: Buffer; tokenId: string; tier: string; prefix: string }

/** Issues a token the way the service does: the secret stays here, two digests go to the database. */
export async function issue(
  sql: Pick<Sql, 'owner'>,
  options: { studio: string; issuer: string; scope?: string | null; name?: string; session?: Session },
): Promise<Issued> {
  const { studio, issuer, scope = null, name = 'books', session = sql.owner } = options
  const secret = newSecret()
  const digests = { pro: digestOf(tokenOf('pro', secret)), studio: digestOf(tokenOf('studio', secret)) }
  const row = await session.row<{ token_id: string; tier: 'pro' | 'studio'; prefix: string }>(
    `select * from access.issue_token($1, $2, $3, $4, $5, $6, $7)`,
    [studio, issuer, name, scope, secret.slice(0, 4), digests.pro, digests.studio],
  )
  return { digest: digests[row.tier], tokenId: row.token_id, tier: row.tier, prefix: row.prefix }
}

function studioOf(sql: Sql, id: string, owner: string, digest: Buffer): Studio {
  const write: Studio['write'] = (work) => inStudio(sql.writer, { id }, work)
  return {
    id,
    owner,
    digest,
    write,
    add: (table, columns = {}) => write((session) => insert(session, id, table, columns)),
    change: (table, rowId, columns) =>
      write(async (session) => {
        const names = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`)
        await session.rows(`update app.${table} set ${names.join(', ')} where id = $1`, [
          rowId,
          ...Object.values(columns),
        ])
      }),
    remove: (table, rowId) =>
      write(async (s) => void (await s.rows(`delete from app.${table} where id = $1`, [rowId]))),
    get: (table, rowId) => write((session) => session.row(`select * from app.${table} where id = $1`, [rowId])),
    updatedAt: async (table, rowId) =>
      Number(
        await sql.admin.value(`select extract(epoch from updated_at) * 1000 from app.${table} where id = $1`, [rowId]),
      ),
    market: (itemId, value, asOf = '2026-01-02T03:04:05.678Z') =>
      write(async (session) => {
        await session.rows(
          `insert into app.market_values (studio_id, item_id, value, as_of) values ($1, $2, $3, $4)
           on conflict (studio_id, item_id) do update set value = excluded.value, as_of = excluded.as_of`,
          [id, itemId, value, asOf],
        )
      }),
    valuation: async (itemId) => {
      const [found] = await sql.admin.rows<Valuation>(
        `select current_estimated_value, value_source, coverage_state, gap_amount, revalue_on
         from app.item_valuations where item_id = $1`,
        [itemId],
      )
      return found ?? null
    },
    dataVersion: async () =>
      Number(
        await sql.admin.value(`select coalesce(sum(version), 0) from app.data_versions where studio_id = $1`, [id]),
      ),
    ask: (operation, ...values) => askWith(sql.api, operation, digest, ...values),
  }
}

/** Inserts a row in a session that is open already; what must be there and is not given is made up. */
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

/** Calls an operation of api_v1 with a token's digest. */
export function askWith(session: Session, operation: string, digest: Buffer, ...values: readonly unknown[]) {
  const places = [digest, ...values].map((_, index) => `$${index + 1}`)
  return session.row<TextAnswer>(`select * from api_v1.${operation}(${places.join(', ')})`, [digest, ...values])
}

/** The JSON that an operation answered with, parsed: an object, or the array of a list. */
export function parsed<Element = Columns>(answer: TextAnswer): Element[] {
  return JSON.parse(`[${answer.data ?? ''}]`) as Element[]
}
