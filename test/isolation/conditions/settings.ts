import type pg from 'pg'

/** A number from 0 to below 2^32 at each call, the same sequence for the same seed (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

const scans = ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan']

/** Numbers that change the planner's choice; larger ones make costs infinite. */
const numbers: Record<string, string[]> = {
  cpu_operator_cost: ['0', '2.3e-308', '0.0025', '1e10', '1e200'],
  cpu_tuple_cost: ['0', '0.01', '1e6'],
  cpu_index_tuple_cost: ['0', '0.005', '1e6'],
  seq_page_cost: ['0', '1', '1e6'],
  random_page_cost: ['0', '4', '1e6'],
  effective_cache_size: ['8kB', '4GB'],
  work_mem: ['64kB', '4MB'],
  from_collapse_limit: ['1', '8'],
  join_collapse_limit: ['1', '8'],
  geqo_threshold: ['2', '12'],
  parallel_setup_cost: ['0', '1000'],
  parallel_tuple_cost: ['0', '0.1'],
  min_parallel_table_scan_size: ['0', '8MB'],
  max_parallel_workers_per_gather: ['0', '4'],
  constraint_exclusion: ['off', 'on', 'partition'],
  plan_cache_mode: ['auto', 'force_generic_plan', 'force_custom_plan'],
  jit_above_cost: ['-1', '0'],
}

/** Lists of SET statements: the sixteen combinations of scans in turn, the rest at random. */
export async function settingsOf(client: pg.Client, next: () => number): Promise<() => string> {
  const { rows } = await client.query<{ name: string }>(
    `select name from pg_settings where context = 'user' and vartype = 'bool'
       and (category = 'Query Tuning / Planner Method Configuration' or name in ('geqo', 'jit')) order by name`,
  )
  const switches = rows.map((row) => row.name).filter((name) => !scans.includes(name))
  let round = 0
  return () => {
    const combination = round++ % 16
    return [
      ...scans.map((name, bit) => `set ${name} = ${combination & (1 << bit) ? 'on' : 'off'}`),
      ...switches.map((name) => `set ${name} = ${next() % 3 === 0 ? 'off' : 'on'}`),
      ...Object.entries(numbers).map(([name, some]) => `set ${name} = '${some[next() % some.length]}'`),
    ].join('; ')
  }
}
