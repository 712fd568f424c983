import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCast } from '../support/cast-database.ts'
import { withClient } from '../support/server.ts'
import { answerOf, type Column, chunks, filled, hidden, inBatches, plannedScans } from './conditions/ask.ts'
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
type Condition = { text: string; safe: boolean; trusted: boolean; everywhere: boolean; free: boolean }

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

describe('a value that a stranger has', () => {
  it('gives the same plan and row counts as an unknown id', async () => {
    await asAnalyst(async (client) => {
      // A single condition costs too little for workers. Forty of them would get some, and the
      // workers share the rows at random.
      await client.query(`${withoutIndexes}; set max_parallel_workers_per_gather = 0`)
      const told: string[] = []
      let compared = 0
      const seen = new Set<string>()
      for (const probe of probes) {
        const column = columnOf(probe) as Column
        // Everything that PostgreSQL trusts on each column, and everything that may run on one
        // column of each type.
        const all = !seen.has(probe.type)
        seen.add(probe.type)
        const asked = (conditions.get(probe.type) ?? []).filter(
          ({ text, safe, trusted, everywhere }) => safe && (all || (trusted && everywhere)) && /\$[vo]/.test(text),
        )
        for (const some of chunks(asked, 40)) {
          // If it fails with only one of the values, the value may be the cause, unless PostgreSQL
          // trusts it.
          const ask = async (list: readonly Condition[]) => {
            const question = (value: string) =>
              list
                .map(({ text }) => filled(text, column, value))
                .map((condition) => `(select from ${probe.view} t where ${condition} and ${behind})`)
                .join(' union all ')
            const answers: (string | undefined)[] = []
            for (const value of [probe.present, probe.absent]) answers.push(await answerOf(client, question(value)))
            const failed = answers.filter((answer) => answer === undefined).length
            return failed === 2 || (failed === 1 && !list.every(({ trusted }) => trusted)) ? undefined : answers
          }
          for (const { items, answer } of await inBatches(some, ask)) {
            compared += items.length
            const [present, absent] = answer
            if (hidden(present, probe) !== hidden(absent, probe)) {
              const texts = items.map(({ text }) => text).join(' | ')
              told.push(`${probe.view}.${probe.column}: ${texts.slice(0, 500)}`)
            }
          }
        }
      }
      expect(told).toEqual([])
      expect(compared).toBeGreaterThan(2000)
    })
  }, 300_000)

  it('takes as long as an unknown id, even when long work waits behind it', async () => {
    await asAnalyst(async (client) => {
      await client.query(withoutIndexes)
      const work = '(select count(*) from generate_series(1, 400000))'
      const alone = await timeOf(client, `select ${work}`)
      for (const probe of probes.filter(({ type, column }) => type === 'text' && column !== 'coverage_state')) {
        const condition = filled('($o)[$c] is not null', columnOf(probe) as Column, probe.present)
        const took = await timeOf(
          client,
          `select from ${probe.view} t where ${condition} and length(t::text) < ${work}`,
        )
        expect(took, `${probe.view}.${probe.column}`).toBeLessThan(alone / 2)
      }
    })
  })
})

type Shape = (view: View, condition: string) => string

const withoutIndexes = 'set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off'

/** PostgreSQL looks at this only when a row gets this far. Otherwise EXPLAIN ANALYZE says "never
 * executed". */
const behind = 'length(t::text) > (select 1 from generate_series(1, 9) limit 1)'

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
  const made = [...expressions, ...nestedIn(expressions)].flatMap(({ text, result, safe, trusted, nested }) =>
    conditionsOf({ text, result }).map((condition, n) => ({
      ...{ text: condition, safe, trusted },
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

/** The shortest of five, in milliseconds. */
async function timeOf(client: pg.Client, question: string): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const start = performance.now()
    await client.query(question)
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}
