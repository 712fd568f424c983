import { withClient } from '../../../src/database/client.ts'
import { type Time, timed } from './cpu.ts'
import type { Place } from './server.ts'

/** One vacuum of a table, or of all its partitions: its own time, and what autovacuum would wait besides at its standard pace. */
export type Vacuumed = Time & {
  hits: number
  reads: number
  dirtied: number
  walBytes: number
  indexScans: number
  waits: number
}

/** As autovacuum works: one process, and what PostgreSQL itself decides. `table` may be a pattern: `items_%`. */
export async function vacuum(place: Place, table: string): Promise<Vacuumed> {
  const { result, ...time } = await timed(place, () => vacuumed(place, table))
  return { ...result, ...time }
}

function vacuumed({ adminUrl }: Place, table: string): Promise<Omit<Vacuumed, keyof Time>> {
  return withClient(adminUrl, async (client) => {
    const said: string[] = []
    client.on('notice', ({ message }) => said.push(message ?? ''))
    await client.query(`vacuum (verbose, parallel 0) ${table}`)
    const text = said.join('\n')
    const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, found) => total + Number(found[1]), 0)
    const [hits, reads, dirtied] = [
      sum(/buffer usage: (\d+) hits/g),
      sum(/buffer usage: \d+ hits, (\d+) reads/g),
      sum(/buffer usage: \d+ hits, \d+ reads, (\d+) dirtied/g),
    ]
    return {
      ...{ hits, reads, dirtied },
      walBytes: sum(/WAL usage: .* (\d+) bytes/g),
      indexScans: sum(/index scans: (\d+)/g),
      waits: waitsOf(hits, reads, dirtied),
    }
  })
}

/** vacuum_cost_page_hit, _miss and _dirty; 200 of them every 2 ms. */
function waitsOf(hits: number, reads: number, dirtied: number): number {
  return ((hits + 2 * reads + 20 * dirtied) / 200) * 0.002
}
