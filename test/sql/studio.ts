import { randomBytes } from 'node:crypto'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { statementFor } from '../../src/api/read.ts'
import { digestOf, newSecret, tokenOf } from '../../src/auth/token.ts'
import type { OperationRow } from '../../src/database/operation-row.ts'
import { type Columns, inStudio, insert, type Session } from './session.ts'

type Plan = 'pro' | 'pro_insure' | 'studio'

/** A studio with its owner, the owner's token, and the writes that studio_writer makes for it. */
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
  /** Asks an operation, logged in as studio_api, with this studio's token. */
  ask(operation: string, ...values: readonly unknown[]): Promise<OperationRow>
}

export type Valuation = {
  current_estimated_value: string | null
  value_source: string
  coverage_state: string
  gap_amount: string | null
  revalue_on: string | null
}

/** The sessions by which a studio is made and used. */
type Sessions = { admin: Session; owner: Session; writer: Session; api: Session }

export type StudioOptions = { plan?: Plan; timezone?: string; name?: string; currency?: string }

/** Makes a studio on the Studio plan in UTC, by default, with an owner and the owner's token. */
export async function makeStudio(
  sql: Sessions,
  { plan = 'studio', timezone = 'UTC', name, currency = 'EUR' }: StudioOptions,
): Promise<Studio> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const values = [name ?? `Studio of ${email}`, email, plan, timezone, currency]
  const id = await sql.owner.value(`select access.create_studio($1, $2, 'Olga Owner', $3, $4, $5)`, values)
  const owner = await sql.owner.value(`select access.owner_of($1)`, [id])
  const { digest } = await issue(sql, { studio: id, issuer: owner })
  return studioOf(sql, id, owner, digest)
}

export type Issued = { digest: Buffer; tokenId: string; tier: string; prefix: string }

/** Issues a token as the service does: the secret stays here, two digests go to the database. */
export async function issue(
  sql: Pick<Sessions, 'owner'>,
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

function studioOf(sql: Sessions, id: string, owner: string, digest: Buffer): Studio {
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
        const values = [rowId, ...Object.values(columns)]
        await session.rows(`update app.${table} set ${names.join(', ')} where id = $1`, values)
      }),
    remove: (table, rowId) =>
      write(async (s) => void (await s.rows(`delete from app.${table} where id = $1`, [rowId]))),
    get: (table, rowId) => write((session) => session.row(`select * from app.${table} where id = $1`, [rowId])),
    updatedAt: async (table, rowId) => {
      const key = table === 'item_valuations' ? 'item_id' : 'id'
      const moment = `select extract(epoch from updated_at) * 1000 from app.${table} where ${key} = $1`
      return Number(await sql.admin.value(moment, [rowId]))
    },
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
         from app.item_valuations where item_id = $1 and value_source is not null`,
        [itemId],
      )
      return found ?? null
    },
    dataVersion: async () => {
      const version = 'select coalesce(sum(version), 0) from app.data_versions where studio_id = $1'
      return Number(await sql.admin.value(version, [id]))
    },
    ask: (operation, ...values) => askWith(sql.api, operation, digest, ...values),
  }
}

/** These parameters have a place of their own; the others follow. */
const placed = ['page', 'per_page', 'category', 'coverage_state', 'item_id', 'status', 'updated_since']

/** Runs an operation's statement: its path's id, then its parameters in the order of `placed`. */
export function askWith(session: Session, name: string, digest: Buffer, ...asked: readonly unknown[]) {
  const operation = operations.find(({ id }) => id === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  const all = Object.keys(operation.parameters)
  const names = [...placed.filter((each) => all.includes(each)), ...all.filter((each) => !placed.includes(each))]
  const [id, ...given] = (operation.path.includes('{id}') ? asked : [null, ...asked]) as (string | null)[]
  return askBy(session, operation, digest, Object.fromEntries(names.map((each, index) => [each, given[index]])), id)
}

/** Runs an operation's statement with parameters by name. */
export function askBy(
  session: Session,
  operation: Operation,
  digest: Buffer,
  given: Readonly<Record<string, string | number | null | undefined>>,
  id: string | null = null,
) {
  const values = Object.fromEntries(Object.keys(operation.parameters).map((name) => [name, given[name] ?? null]))
  const { statement, values: sent } = statementFor(operation, { digest, address: null, id, values, position: null })
  return session.row<OperationRow>(statement.text, sent)
}

/** The JSON that an operation answered with, parsed: an object, or the array of a list. */
export function parsed<Element = Columns>(answer: OperationRow): Element[] {
  return JSON.parse(`[${answer.data ?? ''}]`) as Element[]
}
