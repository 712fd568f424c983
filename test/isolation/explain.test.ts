import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSession } from '../sql/session.ts'
import { useCast } from '../support/cast-database.ts'
import { gather } from './crowd.ts'
import { type Probe, withoutOwn } from './probes.ts'

const stage = useCast()

let probes: Probe[]
let analyst: pg.Client
let close: () => Promise<void>
beforeAll(async () => {
  const present = await gather(stage)
  const opened = await openSession(stage.cast.a.analyst.url)
  analyst = opened.session.client
  close = opened.close
  probes = await withoutOwn(analyst, present)
})
afterAll(() => close())

/** Questions that compare a column with a value. */
const questions: Record<string, (probe: Probe, value: string) => string> = {
  '=': ({ view, column }, value) => `select * from ${view} t where ${column} = ${value}`,
  '<': ({ view, column }, value) => `select * from ${view} t where ${column} < ${value}`,
  IN: ({ view, column }, value) => `select * from ${view} t where ${column} in (${value}, ${value})`,
  'a join with values': ({ view, column }, value) =>
    `select * from ${view} t join (values (${value}), (${value})) as v (value) on t.${column} = v.value`,
  'an aggregate': ({ view, column }, value) =>
    `select ${column}, count(*) from ${view} t where ${column} >= ${value} group by 1 order by 2 limit 3`,
  // EXPLAIN is not needed to time long work that PostgreSQL does only when a row gets this far.
  'a sub-select behind it': ({ view, column }, value) =>
    `select * from ${view} t
     where ${column} >= ${value} and ${column} <> (select ${value} from generate_series(1, 9) limit 1)`,
}

/** A plan with the number of pages that were touched, in memory or not. */
function touched(lines: string[]): string {
  return lines
    .map((line) =>
      line.replace(/Buffers: (.*)$/, (_all, counts: string) => {
        const pages = [...counts.matchAll(/(?:hit|read)=(\d+)/g)].map((match) => Number(match[1]))
        return `Buffers: ${pages.reduce((sum, count) => sum + count, 0)}`
      }),
    )
    .join('\n')
}

/** With these EXPLAIN prints all that it prints without any of them, and more in the same lines. */
const everything = 'analyze, verbose, buffers, timing off, summary off'

describe('EXPLAIN with ANALYZE and BUFFERS, or less', () => {
  it.each(Object.entries(questions))('tells nothing of another studio’s values by %s', async (_name, question) => {
    const told: string[] = []
    for (const probe of probes) {
      const explain = async (value: string) => {
        const text = question(probe, `${analyst.escapeLiteral(value)}::${probe.type}`)
        const { rows } = await analyst.query(`explain (${everything}) ${text}`)
        const plan = touched(rows.map((row) => String(row['QUERY PLAN'])))
        // Both values are hidden in both plans: a view can name one as well.
        return plan.replaceAll(probe.absent, '?').replaceAll(probe.present, '?')
      }
      // Planning touches more pages when the catalog is not in this session's cache: the first
      // time, and after a change of the catalog, which other tests on this server make. A plan that
      // reveals something reveals it every time.
      let plans = ['', ' ']
      for (let attempt = 0; attempt < 20 && plans[0] !== plans[1]; attempt++) {
        plans = [await explain(probe.present), await explain(probe.absent)]
      }
      if (plans[0] !== plans[1]) told.push(`${probe.view}.${probe.column}\n${plans.join('\ninstead of\n')}`)
    }
    expect(told, told.join('\n\n')).toEqual([])
  })
})

it('the questions were about all words, numbers, ids and dates that a view shows', () => {
  const asked = probes.map(({ view, column }) => `${view}.${column}`)
  // Without the periods of plans: those of two studios that began on one day are alike.
  expect(asked).toHaveLength(83)
  for (const name of ['items.name', 'items.category', 'items.updated_at', 'policies.policy_number', 'maintenance.cost'])
    expect(asked).toContain(`api_v1.${name}`)
})
