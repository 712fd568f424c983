import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { expectConsistent, expectSameInParallel, refreshAll } from '../invariants.ts'
import { randomWrite, randomWriteOfStudio } from '../random_writes.ts'
import { type Session, useSql } from '../support.ts'

const sql = useSql()

beforeAll(() => sql.stopClock('2026-07-31T12:00:00Z'))
afterAll(() => sql.startClock())

test('after any sequence of writes, kept or rolled back, projections, copies and counters are what they should be', async () => {
  const step = fc.record({ write: randomWrite, kept: fc.constantFrom(true, true, true, false) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const studio = await sql.studio()
      for (const { write, kept } of steps) {
        const session = write.by === 'owner' ? sql.owner : sql.writer
        await session.begin(studio)
        await session.rows(...withStudio(write.text, studio.id))
        await session.rows(kept ? 'commit' : 'rollback')
      }
      await expectConsistent(sql, studio)
      await expectSameInParallel(sql, studio, '2027-01-31')
    }),
    { numRuns: 5 * deeper },
  )
})

test('several writers at once, with a refresh among them, leave projections, copies and counters as they should be', async () => {
  const studio = await sql.studio()
  await studio.write((session) =>
    session.rows(
      `insert into app.items (studio_id, name, purchase_price, acquisition_date, depreciation_method)
       select $1, 'item ' || n, n * 10, date '2024-01-31', 'straight_line' from generate_series(1, 12) as n`,
      [studio.id],
    ),
  )
  const sessions: Session[] = []
  for (let n = 0; n < 4; n++) sessions.push(await sql.connect('studio_writer'))

  let refused = 0
  const work = sessions.map(async (session, n) => {
    const writes = fc.sample(randomWriteOfStudio, { numRuns: 40, seed: Math.floor(Math.random() * 2 ** 31) })
    for (const write of writes) {
      if (n === 0) await session.rows(refreshAll, [true])
      try {
        await session.begin(studio)
        await session.rows(...withStudio(write.text, studio.id))
        await session.rows('commit')
      } catch (error) {
        // Two statements lock the same rows in different orders. PostgreSQL ends one of them as a
        // whole.
        if ((error as { code?: string }).code !== '40P01') throw error
        await session.rows('rollback')
        refused++
      }
    }
  })
  await Promise.all(work)
  expect(refused).toBeLessThan(80)
  await expectConsistent(sql, studio)
})

/** $1 is the studio where a statement names it. */
function withStudio(text: string, id: string): [text: string, values: unknown[]] {
  return [text, text.includes('$1') ? [id] : []]
}
