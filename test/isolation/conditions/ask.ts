import type pg from 'pg'
import { type Scans, scansOf } from './plans.ts'
import { constantOf } from './values.ts'

/** A column of a view that reads tables. */
export type Column = { view: string; name: string; type: string }

/** A condition with its column and its value filled in. */
export function filled(text: string, { name, type }: Column, value: string | undefined): string {
  const quoted = (raw: string) => `'${raw.replaceAll("'", "''")}'`
  return text
    .replaceAll('$c', `t.${name}`)
    .replaceAll('$v', value === undefined ? constantOf(type) : `${quoted(value)}::${type}`)
    .replaceAll('$o', `${quoted(JSON.stringify({ [value ?? 'a']: 1 }))}::jsonb`)
}

/** The scans in the plan of a query; undefined if PostgreSQL refuses it or scans nothing. */
export async function plannedScans(client: pg.Client, question: string): Promise<Scans | undefined> {
  const rows = await explain(client, 'format json, verbose, costs off', question)
  if (typeof rows === 'string') return undefined
  const plans = rows[0]?.['QUERY PLAN'] as { Plan: unknown }[] | undefined
  const scans = scansOf(plans?.[0]?.Plan)
  return scans.count === 0 ? undefined : scans
}

/** The rows of EXPLAIN, or the message of the server's error. */
async function explain(client: pg.Client, options: string, question: string) {
  try {
    return (await client.query<{ 'QUERY PLAN': unknown }>(`explain (${options}) ${question}`)).rows
  } catch (error) {
    if ((error as { code?: string }).code === undefined) throw error
    return (error as Error).message
  }
}

/** Queries many items at once, and splits a batch that PostgreSQL refuses. `ask` gives
 * undefined where a list is refused. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<Result | undefined>,
): Promise<{ items: readonly Item[]; answer: Result }[]> {
  if (items.length === 0) return []
  const answer = await ask(items)
  if (answer !== undefined) return [{ items, answer }]
  if (items.length === 1) return []
  const middle = Math.ceil(items.length / 2)
  return [...(await inBatches(items.slice(0, middle), ask)), ...(await inBatches(items.slice(middle), ask))]
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
}
