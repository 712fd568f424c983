import { createHash } from 'node:crypto'
import type { Client } from '../../../src/database/client.ts'

/** A studio that was loaded, with what a request needs to know of it, none of which is read from its own rows. */
export type Sampled = { id: string; digest: Buffer; item: string }

/** Different loaded studios, at random, each with a live item. */
export async function sample(client: Client, count: number): Promise<Sampled[]> {
  const { rows } = await client.query<{ id: string; name: string; item: string }>(
    `select s.id, s.name, i.key || right(s.id::text, 17) as item
     from (select s.* from app.studios s join bench.loaded l on l.studio_id = s.id order by random() limit $1) as s
     cross join lateral (select t.id as key from bench.items t where t.archived_at is null and s.id is not null
       order by random() limit 1) as i`,
    [count],
  )
  return rows.map(({ id, name, item }) => ({ id, item, digest: digestOf(name.replace('Studio ', '')) }))
}

export function digestOf(number: string): Buffer {
  return createHash('sha256').update(`token ${number}`).digest()
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
