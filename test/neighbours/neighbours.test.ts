import { afterAll, expect, test } from 'vitest'
import { printTable } from '../support/table.ts'
import { attacks } from './attacks.ts'
import { sqlAttacks } from './sql.ts'
import { during, inShort, statuses, surfaces, useNeighbours } from './stage.ts'

const stage = useNeighbours()
const rows: Record<string, string>[] = []
afterAll(() => printTable('p50 / p99 of the other studio in milliseconds', rows))

/** A pod may have 1 GiB, and the process takes some 200 MB. */
const maxMemory = 400e6

/** How the other studio is answered alone, which only the table needs. */
const isMeasured = process.env.NEIGHBOURS_SECONDS !== undefined

test.each(Object.entries({ ...attacks, ...sqlAttacks }))(
  '%s cost another studio neither an answer nor its turn',
  async (what, attack) => {
    const alone = isMeasured ? await during(stage) : undefined
    const { other, attacker, memory, seconds } = await during(stage, attack)
    const cells = surfaces.map((surface) => [
      surface,
      [...(alone ? [inShort(alone.other[surface])] : []), inShort(other[surface])].join(' → '),
    ])
    const megabytes = Math.round(memory / 1e6)
    rows.push({
      ...{ attack: `${attack.parallel} ${what}`, ...Object.fromEntries(cells), attacker: statuses(attacker) },
      ...{ 'MB more': String(megabytes), 'seconds until usual': seconds.toFixed(1) },
    })
    for (const surface of surfaces) {
      expect([surface, statuses(other[surface])]).toEqual([surface, expect.stringMatching(/^200 × \d+$/)])
    }
    // Nobody is refused without a word, and none of it breaks the service.
    expect(statuses(attacker)).not.toMatch(/\b5\d\d ×|(?:^|, )0 ×/)
    const refused = attacker.filter(({ status }) => status === 429)
    if (attack.isRefused) expect(refused).not.toEqual([])
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(memory).toBeLessThan(maxMemory)
    await attack.bounds?.(stage)
  },
)
