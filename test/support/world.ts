import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { enterStudio, type Transaction } from '../../src/database/session.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import type { Cast, CastStudio } from './cast.ts'
import { createCastDatabase } from './cast-database.ts'
import { createAdders } from './cast-inventory.ts'
import type { Reply, RequestOptions } from './client.ts'
import type { TestDatabase } from './server.ts'
import { type ServiceOptions, startService, type TestService } from './service.ts'
import { keepTransactions, type Transactions } from './transactions.ts'

/** A database with the cast in it, and the service on it. */
export type World = {
  database: TestDatabase
  cast: Cast
  service: TestService
  photosDir: string
  /** Asks as studio A, or with the token given (null: without one). */
  get<Body = unknown>(path: string, options?: RequestOptions): Promise<Reply<Body>>
  /** As `get`, and the answer must be a 200. */
  read<Body = unknown>(path: string, options?: RequestOptions): Promise<Body>
  /** Another service on the same database; stopped after the file. */
  start(options?: ServiceOptions): Promise<TestService>
  /** One transaction as studio_writer in the session of a studio (A's when none is named). */
  write<Result>(work: (transaction: Transaction) => Promise<Result>, studioId?: string): Promise<Result>
  /** Inserts a row into a table of `app` (of A when no studio is named) and returns its id. */
  add(table: string, columns: object, studioId?: string): Promise<string>
  /** Changes a row of A in a table of `app`. */
  change(table: string, id: string, columns: object): Promise<void>
  /** Runs one statement as studio_owner. */
  owner<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Runs work in one transaction as studio_owner, in the session of a studio when one is named. */
  asOwner<Result>(work: (transaction: Transaction) => Promise<Result>, studioId?: string): Promise<Result>
  /** Does work while the database lacks a view. */
  without<Result>(view: string, work: () => Promise<Result>): Promise<Result>
  /** Gives a studio a plan: `status`, the ends of its trial, the begin and the end of its paid period. */
  subscribe(studioId: string, plan: string, ...more: (string | null)[]): Promise<unknown>
  /** A studio of its own, with an owner's token and nothing in it. */
  newStudio(options?: { plan?: string; timezone?: string }): Promise<{ id: string; owner: string; token: string }>
  /** Sets `updated_at`, which nobody may write: of rows by id, or of a whole studio. */
  setUpdatedAt(table: string, times: string | Readonly<Record<string, string>>, studioId?: string): Promise<void>
}

export type ListMeta = { page: number; per_page: number; total: number; next_page: number | null }
export type List<Element> = { data: Element[]; meta: ListMeta }
export type Single<Resource> = { data: Resource }
export type Row = { id: string; updated_at: string }

/** Gives the test file a world of its own. To be called at the top of the file. */
export function useWorld(options: ServiceOptions = {}): World {
  const world = {} as World
  const started: TestService[] = []
  const kept: Transactions[] = []
  const keep = (url: string) => {
    const transactions = keepTransactions(url)
    kept.push(transactions)
    return transactions
  }
  beforeAll(async () => {
    Object.assign(world, await createCastDatabase())
    world.photosDir = await mkdtemp(join(tmpdir(), 'studio-inventory-photos-'))
    world.start = async (more = {}) => {
      const service = await startService(world.database, { photosDir: world.photosDir, ...more })
      started.push(service)
      return service
    }
    world.service = await world.start(options)
    const [writer, owner] = [keep(world.database.urlFor('studio_writer')), keep(world.database.urlFor('studio_owner'))]
    Object.assign(world, asking(world), writing(world, writer, owner))
  })
  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop()))
    await Promise.all(kept.map((transactions) => transactions.end()))
    if (world.photosDir) await rm(world.photosDir, { recursive: true })
    await world.database?.drop()
  })
  return world
}

function asking(world: World): Pick<World, 'get' | 'read'> {
  const get: World['get'] = (path, options) => world.service.get(path, { token: world.cast.a.token.token, ...options })
  return {
    get,
    async read<Body>(path: string, options?: RequestOptions) {
      const reply = await get<Body>(path, options)
      expect(reply.status, `${path}: ${reply.text.slice(0, 500)}${world.service.why(reply)}`).toBe(200)
      return reply.json
    },
  }
}

type Writing = Omit<World, 'database' | 'cast' | 'service' | 'photosDir' | 'get' | 'read' | 'start'>

function writing({ cast }: World, writer: Transactions, owner: Transactions): Writing {
  const write: World['write'] = (work, studioId = cast.a.id) =>
    writer.run(async (transaction) => {
      await enterStudio(transaction, studioId)
      return work(transaction)
    })
  const run: World['owner'] = (text, values = []) => owner.run(({ query }) => query(text, values))
  return {
    write,
    add: (table, columns, studioId = cast.a.id) =>
      write((transaction) => createAdders(transaction, studioId)(table, columns), studioId),
    async change(table, id, columns) {
      const set = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`)
      const changed = await write(({ query }) =>
        query(`update app.${table} set ${set.join(', ')} where id = $1 returning id`, [id, ...Object.values(columns)]),
      )
      expect(changed).toHaveLength(1)
    },
    owner: run,
    asOwner: (work, studioId) =>
      owner.run(async (transaction) => {
        if (studioId !== undefined) await enterStudio(transaction, studioId)
        return work(transaction)
      }),
    async without(view, work) {
      const [, name] = view.split('.')
      await run(`alter view ${view} rename to ${name}_away`)
      return work().finally(() => run(`alter view ${view}_away rename to ${name}`))
    },
    subscribe: (studioId, plan, status = 'active', ...more) =>
      run(`select access.set_subscription($1, $2, $3${more.map((_, at) => `, $${at + 4}`).join('')})`, [
        ...[studioId, plan, status],
        ...more,
      ]),
    newStudio: (options) => owner.run((transaction) => makeStudio(transaction, options)),
    setUpdatedAt: (table, times, studioId = cast.a.id) =>
      owner.run(async (transaction) => {
        await enterStudio(transaction, studioId)
        const key = table === 'item_valuations' ? 'item_id' : 'id'
        await transaction.query(`alter table app.${table} disable trigger c_touch`)
        if (typeof times === 'string') {
          await transaction.query(`update app.${table} set updated_at = $1`, [times])
        } else {
          await transaction.query(
            `update app.${table} set updated_at = t.at from unnest($1::uuid[], $2::timestamptz[]) as t (id, at)
             where ${table}.${key} = t.id`,
            [Object.keys(times), Object.values(times)],
          )
        }
        await transaction.query(`alter table app.${table} enable trigger c_touch`)
        await transaction.query('select app.add_data_version(array[$1::uuid])', [studioId])
      }),
  }
}

/** Makes a studio of its own, with an owner's token and nothing in it. */
export async function makeStudio(
  transaction: Transaction,
  { plan = 'studio', timezone = 'UTC' }: NonNullable<Parameters<World['newStudio']>[0]> = {},
): ReturnType<World['newStudio']> {
  const unique = randomUUID()
  const [studio] = await transaction.query<{ id: string }>(
    `select access.create_studio($1, $2, 'Nora', $3, $4, 'EUR') as id`,
    [`Studio ${unique}`, `nora.${unique}@example.com`, plan, timezone],
  )
  const id = studio?.id ?? ''
  const [person] = await transaction.query<{ id: string }>('select access.owner_of($1) as id', [id])
  const issuedBy = person?.id ?? ''
  const { token } = await issueToken(transaction, { studioId: id, issuedBy, name: 'Books', scopeUserId: null })
  return { id, owner: issuedBy, token }
}

/** The path of each endpoint, for a studio's own records. */
export const pathsOf = ({ items, policies }: CastStudio): string[] =>
  operations.map(
    ({ path }) => prefix + path.replace('{id}', path.startsWith('/items') ? items.microphone : policies.active),
  )

/** Puts a file where the local signer serves it from. */
export async function putPhoto(folder: string, key: string, bytes: Buffer): Promise<void> {
  const file = join(folder, key)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, bytes)
}

/** The records of a list in their order: newest updated first, ties by id descending. */
export function newestFirst<Element extends Row>(rows: readonly Element[]): Element[] {
  return rows.toSorted((a, b) => compare(b.updated_at, a.updated_at) || compare(b.id, a.id))
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
