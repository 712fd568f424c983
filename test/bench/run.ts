import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Bar, isMet, rowOf } from './bar.ts'
import { type Closers, loadDataset, openScratch } from './data.ts'
import { files } from './files.ts'
import { coldStart, memory } from './life.ts'
import { flatness, guards, reads, type Stage } from './reads.ts'
import { startFleet } from './servers.ts'
import { analystSums } from './sums.ts'
import { updateCosts } from './writes.ts'

const sizes = {
  full: {
    pace: { rounds: 5, ms: 2_000, warmUpMs: 300, deepPages: 48 },
    ...{ processes: 4, requests: 100_000, rows: 100_000, reported: 5_000 },
  },
  quick: {
    pace: { rounds: 2, ms: 300, warmUpMs: 100, deepPages: 16 },
    ...{ processes: 1, requests: 5_000, rows: 2_000, reported: 100 },
  },
}

/** Measures the service and others in turns, and prints each row with its bar. `--quick`: only
 * that it runs. */
async function main(): Promise<void> {
  const { quick } = parseArgs({ options: { quick: { type: 'boolean' } } }).values
  const closers: Closers = []
  const closeAll = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(1)))
  }
  try {
    const bars = await measure(sizes[quick ? 'quick' : 'full'], closers)
    console.log(`\n${bars.filter(isMet).length} of ${bars.length} bars met on ${availableParallelism()} cores`)
  } finally {
    await closeAll()
  }
}

async function measure(size: (typeof sizes)['full'], closers: Closers): Promise<Bar[]> {
  const bars: Bar[] = []
  const add = (more: Bar[]) => {
    for (const bar of more) console.log(rowOf(bar))
    bars.push(...more)
  }
  console.log('| what | bar | median (least to most) | |\n|---|---|---|---|')
  add([await coldStart(closers)])
  const scratch = await openScratch(closers)
  const dataset = await loadDataset(scratch)
  const fleet = await startFleet(scratch, dataset)
  const stage: Stage = { scratch, fleet, dataset, pace: size.pace }
  for await (const row of reads(stage)) add(row)
  for (const server of Object.values(fleet)) await server.stop()
  add(await flatness(stage))
  add(await guards(stage, size.processes))
  add(await memory(scratch, dataset, size.requests))
  add(await updateCosts(scratch, dataset, size.pace.rounds))
  add(await analystSums(scratch, dataset, size.pace.rounds * 2))
  add(await files(scratch, size.rows, size.reported))
  return bars
}

await main()
