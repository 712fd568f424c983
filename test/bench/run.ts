import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { withClient } from '../../src/database/client.ts'
import { withStudioWriter } from '../../src/database/session.ts'
import { analystSums } from './analysts.ts'
import { type Measurements, verdicts } from './bars.ts'
import { chart } from './chart.ts'
import type { Pace } from './contest.ts'
import { type Dataset, loadDataset } from './dataset.ts'
import { expectSameAnswers, startFleet } from './fleet.ts'
import { coldStart, memory } from './life.ts'
import { startPeers } from './peers.ts'
import { report } from './report.ts'
import { flatness, guards, type Row, rows, type Stage } from './rows.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { importCost, twoWriters, updateCosts, type WritePace } from './writes.ts'

type Size = { pace: Pace; single: Pace; writes: WritePace; transactions: number; mixedRequests: number }

const full: Size = {
  pace: { rounds: 5, ms: 2_000, warmUpMs: 300, deepPages: 48 },
  single: { rounds: 7, ms: 400, warmUpMs: 100 },
  writes: { rounds: 6, updates: 400, importRows: 100_000 },
  transactions: 50,
  mixedRequests: 100_000,
}

const quick: Size = {
  pace: { rounds: 2, ms: 300, warmUpMs: 100, deepPages: 16, maxRounds: 3 },
  single: { rounds: 3, ms: 150, warmUpMs: 50 },
  writes: { rounds: 2, updates: 200, importRows: 10_000 },
  transactions: 15,
  mixedRequests: 10_000,
}

/**
 * Measures the service beside the usual way and others, on one machine, in turns. `--quick` in two minutes,
 * `--peers` installs software of others and lets it take part, `--no-cache` runs the service without its body cache,
 * `--json` prints JSON alone, `--chart FILE` draws the requests a second as an SVG.
 */
async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      cache: { type: 'boolean', default: true },
      chart: { type: 'string' },
    },
    allowNegative: true,
  })
  const size = options.quick ? quick : full
  const began = performance.now()
  const say = (text: string) => {
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
  }
  const closers: (() => unknown)[] = []
  const closeAll = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(1)))
  }
  try {
    const { found, about } = await measure(size, options, closers, say)
    const checked = verdicts(found)
    const text = options.json
      ? JSON.stringify({ about, ...found, verdicts: checked }, null, 2)
      : report(found, checked, about)
    process.stdout.write(`${text}\n`)
    if (options.chart !== undefined) await writeFile(options.chart, chart(found, about))
  } finally {
    await closeAll()
  }
}

async function measure(
  size: Size,
  options: { peers: boolean; cache: boolean; quick: boolean },
  closers: (() => unknown)[],
  say: (text: string) => void,
): Promise<{ found: Measurements; about: string[] }> {
  say('npm start on an empty folder')
  const started = await coldStart(closers)
  say('a scratch server, and the dataset')
  const scratch = await openScratch(closers)
  const dataset = await loadDataset(scratch.adminUrl)
  say('the servers')
  const fleet = await startFleet(scratch, dataset, closers, options.cache)
  await expectSameAnswers(fleet, dataset)
  const peers = options.peers ? await startPeers(scratch, dataset, closers) : []
  const stage: Stage = { fleet, peers, dataset, write: () => writeEverywhere(scratch, dataset), pace: size.pace }

  const measured: Row[] = []
  for (const measureRow of rows) {
    measured.push(await measureRow(stage))
    say(measured.at(-1)?.title ?? '')
  }
  const flat = await flatness({ ...stage, pace: size.single })
  say('the size of a studio')
  const guarded = await guards(stage)
  say('limits, activity and log')
  const used = await memory(scratch, dataset, size.mixedRequests, options.cache)
  say('memory')
  const found: Measurements = {
    rows: measured,
    flat,
    guards: guarded,
    memory: used,
    updates: await updateCosts(scratch, dataset, size.writes),
    twoWriters: await twoWriters(scratch, dataset, size.transactions),
    import: await importCost(scratch, size.writes.importRows),
    sums: await analystSums(scratch, fleet, dataset, size.pace.rounds * 2),
    coldStart: started,
  }
  say('writes and sums')
  return { found, about: await aboutThisRun(scratch, options) }
}

/** Changes the newest item of every studio, which leaves every order as it was. */
async function writeEverywhere({ writerUrl }: Scratch, { usual, large }: Dataset): Promise<void> {
  for (const { id, items } of [...usual, large]) {
    await withStudioWriter(writerUrl, id, (transaction) =>
      transaction.query(`update app.items set name = 'Item ' || clock_timestamp() where studio_id = $1 and id = $2`, [
        id,
        items[0],
      ]),
    )
  }
}

async function aboutThisRun({ adminUrl }: Scratch, options: { cache: boolean; quick: boolean }): Promise<string[]> {
  const { rows: found } = await withClient(adminUrl, (client) => client.query('show server_version'))
  const [cpu] = cpus()
  return [
    `${availableParallelism()} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, PostgreSQL ${found[0].server_version}`,
    'Clients, servers and database share these cores: ratios tell more than numbers.',
    ...(options.quick ? ['A quick run: too short to draw conclusions.'] : []),
    ...(options.cache ? [] : ['The service runs without its body cache.']),
  ]
}

await main()
