import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCast } from '../support/cast-database.ts'
import { withClient } from '../support/server.ts'
import { type Column, chunks, filled, inBatches, plannedScans } from './conditions/ask.ts'
import { conditionsOf, expressionsOf, nestedIn } from './conditions/catalog.ts'
import { sequence, settingsOf } from './conditions/settings.ts'
import { shapes, type View } from './conditions/shapes.ts'
import { gather } from './crowd.ts'
import { computedViews, type Probe, withoutOwn } from './probes.ts'

// PostgreSQL evaluates nothing of an analyst's on a row of another studio: no operator, function,
// cast or subscript that an analyst may use, in any query and under any settings
// (docs/row-level-security.md says why).

const stage = useCast()

/** A condition on a column. `trusted`: it may stand beside a policy. `everywhere`: it is
 * tried on every column. `free`: it costs nothing. */
type Condition = { text: string; trusted: boolean; everywhere: boolean; free: boolean }

let columns: Column[]
let probes: Probe[]
/** Notes where PostgreSQL evaluated a condition before the policy, when it tried the conditions one
 * by one. */
const leaksAtFirst: string[] = []
const conditions = new Map<string, Condition[]>()

beforeAll(async () => {
  const present = await gather(stage)
  await asAnalyst(async (client) => {
    columns = await columnsOfTables(client)
    probes = (await withoutOwn(client, present)).filter((probe) => columnOf(probe) !== undefined)
    for (const type of new Set(columns.map((column) => column.type))) {
      conditions.set(type, await conditionsOn(client, columns.find((column) => column.type === type) as Column))
    }
  })
}, 300_000)

it('conditions were made of everything that the catalog has', () => {
  const counts = Object.fromEntries([...conditions].map(([type, made]) => [type, made.length]))
  expect(counts.text).toBeGreaterThan(1000)
  for (const [type, count] of Object.entries(counts)) expect(count, type).toBeGreaterThan(100)
})

describe('a condition of an analyst’s', () => {
  type Leaks = { leaks: string[]; planned: Map<string, number> }

  /** Plans conditions on a column in a shape of query, and adds where they leak, and how many were
   * planned by what is counted. */
  async function plan(
    client: pg.Client,
    shape: string,
    column: Column,
    some: readonly Condition[],
    by: string,
    to: Leaks,
  ) {
    const question = shapes[shape] as Shape
    const ask = (list: readonly Condition[]) => plannedScans(client, question(viewOf(column), allOf(list, column)))
    for (const { items, answer } of await inBatches(some, ask)) {
      to.planned.set(by, (to.planned.get(by) ?? 0) + (by === shape ? 1 : items.length))
      to.leaks.push(...answer.leaks.map((leak) => `${shape} on ${column.view}.${column.name} ${leak.slice(0, 300)}`))
    }
  }

  it('is never evaluated before the policy: every condition, on every column', async () => {
    await asAnalyst(async (client) => {
      const nextSettings = await settingsOf(client, sequence(1))
      const found: Leaks = { leaks: [], planned: new Map() }
      let round = 0
      for (const column of columns) {
        const tried = (conditions.get(column.type) ?? []).filter(({ everywhere }) => everywhere)
        for (const some of chunks(tried, 100)) {
          // Takes shapes and settings in turn, and drops all indexes every second time.
          const shape = Object.keys(shapes)[round++ % Object.keys(shapes).length] as string
          await client.query(round % 2 === 0 ? `reset all; ${withoutIndexes}` : nextSettings())
          await plan(client, shape, column, some, column.type, found)
        }
      }
      expect([...leaksAtFirst, ...found.leaks]).toEqual([])
      for (const type of conditions.keys()) expect(found.planned.get(type) ?? 0, type).toBeGreaterThan(50)
    })
  }, 300_000)

  it('is never evaluated before the policy: every shape of query, on every column, under any settings', async () => {
    await asAnalyst(async (client) => {
      const nextSettings = await settingsOf(client, sequence(2))
      const found: Leaks = { leaks: [], planned: new Map() }
      for (const column of columns) {
        const free = (conditions.get(column.type) ?? []).filter((condition) => condition.free)
        for (const shape of Object.keys(shapes)) {
          await client.query(nextSettings())
          await plan(client, shape, column, free, shape, found)
        }
      }
      expect(found.leaks).toEqual([])
      // A shape that PostgreSQL refuses would prove nothing.
      for (const shape of Object.keys(shapes))
        expect(found.planned.get(shape) ?? 0, shape).toBeGreaterThan(columns.length / 2)
    })
  }, 300_000)
})

type Shape = (view: View, condition: string) => string

const withoutIndexes = 'set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off'

function asAnalyst<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  return withClient(stage.cast.a.analyst.url, work)
}

/** Every column of every view that an analyst may read and that reads tables. */
async function columnsOfTables(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select c.oid::regclass::text as view, a.attname as name, format_type(a.atttypid, null) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relkind = 'v' and c.relnamespace = (select oid from pg_namespace where nspname = 'api_v1')
       and has_table_privilege(c.oid, 'SELECT') and c.relname <> all ($1)
     order by c.relname, a.attnum`,
    [['account', 'relationships', ...computedViews]],
  )
  return rows
}

/** The conditions that PostgreSQL takes, of all that the catalog allows on such a column. */
async function conditionsOn(client: pg.Client, column: Column): Promise<Condition[]> {
  const expressions = await expressionsOf(client, column.type)
  const made = [...expressions, ...nestedIn(expressions)].flatMap(({ text, result, trusted, nested }) =>
    conditionsOf({ text, result }).map((condition, n) => ({
      ...{ text: condition, trusted },
      everywhere: !nested && (trusted || n === 0),
      free: text === '$c',
    })),
  )
  await client.query(withoutIndexes)
  const taken: Condition[] = []
  for (const some of chunks(made, 16)) {
    const ask = (list: readonly Condition[]) =>
      plannedScans(client, `select from ${column.view} t where ${allOf(list, column)}`)
    for (const { items, answer } of await inBatches(some, ask)) {
      taken.push(...items)
      leaksAtFirst.push(...answer.leaks)
    }
  }
  return taken
}

function allOf(list: readonly Condition[], column: Column): string {
  const value = probes?.find((probe) => probe.view === column.view && probe.column === column.name)?.present
  return list.map(({ text }) => `(${filled(text, column, value)})`).join(' and ')
}

function columnOf({ view, column }: Probe): Column | undefined {
  return columns.find((candidate) => candidate.view === view && candidate.name === column)
}

function viewOf({ view }: Column): View {
  return { name: view, columns: columns.filter((column) => column.view === view).map(({ name }) => name) }
}
