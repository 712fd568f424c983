import { afterAll, expect, test } from 'vitest'
import { printTable } from '../support/table.ts'
import { allAttacks } from './attacker.ts'
import { type Memory, users } from './resources.ts'
import { during, inShort, isMeasured, statuses, surfaces, useNeighbours } from './stage.ts'

const stage = useNeighbours()
const rows: Record<string, string>[] = []
afterAll(() => printTable('p50 / p99 of the other studio in milliseconds', rows))

/** How much memory an attack may take, in bytes: a pod may have 1 GiB, and the service takes some 200 MB. */
const mostMemory: Memory = { service: 400e6, graphql: 400e6, children: 400e6, postgres: 400e6 }

/** How much it may write to the disk, in bytes, and after how many seconds everything answers as before. */
const [mostDisk, mostSeconds] = [200e6, 5]

const inMegabytes = (bytes: number) => String(Math.round(bytes / 1e6))

test.each(Object.entries(allAttacks))(
  '%s cost another studio neither an answer nor its turn',
  async (what, { parallel, bound, isRefused }) => {
    const alone = isMeasured ? await during(stage) : undefined
    const { other, attacker, memory, disk, measured, seconds } = await during(stage, what, bound?.of)
    const cells = surfaces.map((surface) => [
      surface,
      [...(alone ? [inShort(alone.other[surface])] : []), inShort(other[surface])].join(' → '),
    ])
    const more = users.map((user) => [user, memory.most[user] - memory.before[user]] as const)
    rows.push({
      ...{ attack: `${parallel} ${what}`, ...Object.fromEntries(cells), attacker: statuses(attacker) },
      ...{ 'MB more': more.map(([, bytes]) => inMegabytes(bytes)).join(', '), 'MB on disk': inMegabytes(disk) },
      'seconds until usual': seconds.toFixed(1),
    })
    for (const surface of surfaces) {
      expect([surface, statuses(other[surface])]).toEqual([surface, expect.stringMatching(/^200 × \d+$/)])
    }
    // Nobody is refused without a word, and none of it breaks the service.
    expect(statuses(attacker)).not.toMatch(/\b5\d\d ×|(?:^|, )0 ×/)
    const refused = attacker.filter(({ status }) => status === 429)
    if (isRefused) expect(refused).not.toEqual([])
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
    for (const [user, bytes] of more) expect(bytes, `memory of ${user}`).toBeLessThan(mostMemory[user])
    expect(disk).toBeLessThan(mostDisk)
    expect(measured).toBeLessThan(bound?.most ?? 1)
    expect(seconds).toBeLessThan(mostSeconds)
  },
)
