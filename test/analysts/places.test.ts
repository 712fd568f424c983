import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Analyst } from '../support/cast.ts'
import { asOwner, withClient } from '../support/server.ts'
import { failureOf, lookOf, told, useOffice } from './support.ts'

const office = useOffice()

let ours: Analyst
let theirs: Analyst
beforeAll(async () => {
  ours = await office.hire(office.cast.a.id, { connections: 6 })
  theirs = await office.hire(office.cast.b.id, { connections: 6 })
})

/** How many sessions all analysts of this database, and those of one studio, may have. */
const allow = (all: number, one: number) =>
  asOwner(office.database, (owner) =>
    owner.query(`create or replace function access.analyst_places(out all_studios integer, out one_studio integer)
      language sql stable security invoker set search_path = ''
      begin atomic select ${all}, ${one}; end`),
  )

/** Opens sessions one after the other; then the watchdog looks. Returns the numbers of the sessions
 * that it ended, in the order in which they were opened, with the reasons. */
async function endedOf(analysts: Analyst[]) {
  const pids: number[] = []
  const openNext = async ([next, ...rest]: Analyst[]): Promise<string[]> => {
    if (!next) {
      const looked = await lookOf(office)
      return pids.flatMap((pid, index) =>
        looked.filter((ended) => ended.pid === pid).map(({ reason }) => `${index + 1}: ${reason}`),
      )
    }
    return withClient(next.url, async (client: pg.Client) => {
      pids.push((await client.query('select pg_backend_pid() as pid')).rows[0].pid)
      const ended = await openNext(rest)
      const isEnded = ended.some((one) =>
        one.startsWith(`${pids.indexOf(Number(pids[analysts.length - rest.length - 1])) + 1}:`),
      )
      expect(await failureOf(client.query('select 1'))).toMatch(isEnded ? /^(?!done)/ : /^done$/)
      return ended
    })
  }
  const ended = await openNext(analysts)
  // PostgreSQL still lists a session for a moment after it has ended.
  const gone = () => told(office, 'select from pg_stat_activity where pid = any ($1)', [pids])
  await expect.poll(gone, { timeout: 10_000 }).toEqual([])
  return ended
}

const tooMany = 'its studio has more sessions than one may have'
const noRoom = 'analysts have more sessions than they may, and its studio has most'

describe('analysts’ sessions', () => {
  it('may be half of the server’s connections, those of one studio a quarter of that', async () => {
    const [row] = await told(
      office,
      `select p.all_studios = c.connections / 2 as all, p.one_studio = c.connections / 2 / 4 as one
       from access.analyst_places() p, (select current_setting('max_connections')::int as connections) c`,
    )
    expect(row).toEqual({ all: true, one: true })
  })

  it('beyond those of one studio end, the youngest first, and another studio keeps its own', async () => {
    await allow(10, 2)
    expect(await endedOf([ours, ours, theirs, ours, ours])).toEqual([`4: ${tooMany}`, `5: ${tooMany}`])
  })

  it('beyond those of all end in the studio that has most, and one that had none is let in', async () => {
    await allow(3, 3)
    expect(await endedOf([ours, ours, ours, theirs])).toEqual([`3: ${noRoom}`])
    expect(await endedOf([ours, ours, theirs, theirs])).toEqual([`4: ${noRoom}`])
  })
})

it('a login is made although the logins of all studios together have more connections than the server', async () => {
  const [server] = await told<{ most: number }>(office, `select current_setting('max_connections')::int as most`)
  await allow(1_000, 100)
  const wanted = { connections: 100 }
  for (let made = 0; made <= (server?.most ?? 0); made += 200) {
    for (const { id } of [office.cast.a, office.cast.b]) await office.hire(id, wanted)
  }
})
