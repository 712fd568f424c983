import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withClient } from '../../src/database/client.ts'
import { withStudioWriter } from '../../src/database/session.ts'
import { createSyncClient } from '../sync/client.ts'
import { type Contestant, median, type Pace, runContest } from './contest.ts'
import { type Dataset, loadDataset, makeStudio, type Studio } from './dataset.ts'
import { startService } from './fleet.ts'
import { restWording, taker } from './questions.ts'
import { tableOf } from './report.ts'
import type { Row } from './rows.ts'
import { openScratch, type Scratch } from './scratch.ts'

/** Short runs say whether everything works, not how fast it is. */
type Size = {
  pace: Pace
  pages: number
  importRows: number
  archived: number
  imports: number
  authentications: number
}
const full: Size = {
  pace: { rounds: 5, ms: 2_000, warmUpMs: 300 },
  ...{ pages: 1_000, importRows: 100_000, archived: 10_000, imports: 3, authentications: 20_000 },
}
const quick: Size = {
  pace: { rounds: 3, ms: 500, warmUpMs: 100 },
  ...{ pages: 300, importRows: 10_000, archived: 1_000, imports: 2, authentications: 5_000 },
}

/** What polling costs, and how long a client takes to hold what a large import wrote: `npm run bench:sync`, `--quick`. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
  const size = values.quick ? quick : full
  const closers: (() => unknown)[] = []
  const closeAll = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(1)))
  }
  try {
    const scratch = await openScratch(closers)
    const dataset = await loadDataset(scratch.adminUrl)
    await mkdir(join(scratch.folder, 'logs'), { recursive: true })
    const started = async (name: string, nodeOptions: string[] = []) => {
      const running = await startService(scratch, name, {}, nodeOptions)
      closers.push(running.stop)
      return running.origin
    }
    const service = await started('service')
    const headerless = await started('without', ['--import', join(import.meta.dirname, 'servers/headerless.ts')])
    const rows = [
      await polls(service, dataset, size.pace),
      await firstPages(service, headerless, dataset, size.pace),
      await walks(service, scratch, dataset, size),
    ]
    const lines = [
      ...tableOf('Polling, 16 connections', rows, 'service'),
      ...(await stampCost(scratch, size)),
      ...(await watermarkCost(scratch, dataset, size.authentications)),
      ...(await largeImport(service, scratch, size)),
    ]
    console.log(lines.join('\n'))
  } finally {
    await closeAll()
  }
}

/** A poll with nothing new and page 1, each answered with a body, and with 304 to its ETag. */
async function polls(service: string, { usual }: Dataset, pace: Pace): Promise<Row> {
  const studio = usual[0] as Studio
  const list = restWording({ studio })
  const poll = restWording({ studio, updatedSince: '2027-01-01T00:00:00Z', empty: true })
  const known = async (ask: typeof list) => {
    const response = await fetch(service + ask.path, { headers: ask.headers })
    await response.arrayBuffer()
    const tag = response.headers.get('etag')
    if (tag === null) throw new Error(`${ask.path}: no ETag`)
    return { path: ask.path, headers: { ...ask.headers, 'if-none-match': tag }, status: 304 as const }
  }
  const [listKnown, pollKnown] = [await known(list), await known(poll)]
  const contestant = (name: string, ask: typeof list): Contestant => ({ name, origin: service, round: () => () => ask })
  const contestants = [
    contestant('service', list),
    contestant('page 1: 304', listKnown),
    contestant('poll: 200', poll),
    contestant('poll: 304', pollKnown),
  ]
  return {
    key: 'etag',
    title: 'page 1 as it was, with its body and with If-None-Match',
    results: await runContest({ contestants }, pace),
  }
}

/** The first page of a list with the headers for clients that poll, and without. */
async function firstPages(service: string, headerless: string, { usual }: Dataset, pace: Pace): Promise<Row> {
  const studio = usual[1] as Studio
  const ask = restWording({ studio, first: studio.items[0] as string })
  const contestants = [
    { name: 'service', origin: service, round: () => () => ask },
    { name: 'without headers', origin: headerless, round: () => () => ask },
  ]
  return {
    key: 'headers',
    title: 'page 1 with Link, Next-Updated-Since and ETag',
    results: await runContest({ contestants }, pace),
  }
}

/** Pages from 500 on of 200,000 items, by cursor and by number; an item changes before each round, so that none is cached. */
async function walks(service: string, { writerUrl }: Scratch, { large }: Dataset, { pace, pages }: Size): Promise<Row> {
  const headers = { authorization: `Bearer ${large.token}` }
  const paths: string[] = []
  let next = '/v1/items?page=500&per_page=50'
  while (paths.length < pages) {
    const response = await fetch(service + next, { headers })
    await response.arrayBuffer()
    next = /\/v1[^>]+/.exec(response.headers.get('link') ?? '')?.[0] ?? ''
    paths.push(next)
  }
  const ask = (path: string) => ({ path, headers, contains: '{"data":[{"id":"' })
  const numbers = Array.from({ length: pages }, (_, n) => `/v1/items?page=${501 + n}&per_page=50`)
  const contestant = (name: string, all: string[]): Contestant => ({
    name,
    origin: service,
    round: () => {
      const take = taker(all)
      return () => ask(take())
    },
  })
  const contestants = [contestant('service', paths), contestant('by number', numbers)]
  const change = () =>
    withStudioWriter(writerUrl, large.id, (transaction) =>
      transaction.query(`update app.items set name = 'Item ' || clock_timestamp() where studio_id = $1 and id = $2`, [
        large.id,
        large.items[0],
      ]),
    )
  return {
    key: 'cursors',
    title: `page 500 to ${500 + pages} of 200,000 by cursor`,
    results: await runContest({ contestants, before: change }, pace),
  }
}

const insert = `insert into app.items (studio_id, external_key, name, category, purchase_price, reported_insured_value)
  select $1, 'new-' || n, 'New item ' || n, (array['Microphones', 'Guitars & Basses'])[n % 2 + 1], n % 500, n % 300
  from generate_series(1, $2::integer) as n`

/** New items in one statement, stamped by app.stamp() and by the clock alone, in turns. */
async function stampCost({ adminUrl, writerUrl }: Scratch, { imports, importRows }: Size): Promise<string[]> {
  const seconds: Record<'app.stamp()' | 'clock_timestamp()', number[]> = { 'app.stamp()': [], 'clock_timestamp()': [] }
  for (let turn = 0; turn < imports * 2; turn += 1) {
    const by = turn % 2 === 0 ? 'app.stamp()' : 'clock_timestamp()'
    await withClient(adminUrl, (admin) => admin.query(`alter table app.items alter updated_at set default ${by}`))
    const { id } = await makeStudio(adminUrl, `Importer ${turn}`, { items: 10 })
    const began = performance.now()
    await withStudioWriter(writerUrl, id, (transaction) => transaction.query(insert, [id, importRows]))
    seconds[by].push((performance.now() - began) / 1000)
  }
  await withClient(adminUrl, (admin) => admin.query('alter table app.items alter updated_at set default app.stamp()'))
  const shown = Object.entries(seconds).map(
    ([by, taken]) => `${median(taken).toFixed(2)} s by ${by} (${spreadOf(taken)})`,
  )
  const alone = await withClient(adminUrl, async (admin) => {
    const began = performance.now()
    await admin.query('select count(app.stamp()) from generate_series(1, $1::integer)', [importRows])
    return performance.now() - began
  })
  const each = ((alone / importRows) * 1_000).toFixed(2)
  return [`${importRows} new items in one statement: ${shown.join(', ')}; ${each} µs a stamp alone`]
}

/** An authentication with and without the watermark, in a loop within the database. */
async function watermarkCost({ adminUrl }: Scratch, { usual }: Dataset, times: number): Promise<string[]> {
  const { token } = usual[0] as Studio
  return withClient(adminUrl, async (admin) => {
    const loop = `do $do$ begin
      for n in 1..${times} loop perform access.open_session(sha256('${token}'), null); end loop; end $do$`
    const { rows } = await admin.query(`select pg_get_functiondef('access.open_session'::regproc) as as_it_is`)
    const [withIt, without] = [
      rows[0].as_it_is,
      rows[0].as_it_is.replace('access.current_watermark w', '(select null::timestamptz as at) w'),
    ]
    if (withIt === without) throw new Error('access.open_session() reads no watermark')
    const taken: [number[], number[]] = [[], []]
    for (let turn = 0; turn < 10; turn += 1) {
      await admin.query(turn % 2 === 0 ? withIt : without)
      await admin.query(loop)
      const began = performance.now()
      await admin.query(loop)
      taken[turn % 2]?.push(((performance.now() - began) * 1_000) / times)
    }
    await admin.query(withIt)
    const [one, other] = taken.map((each) => `${median(each).toFixed(1)} µs (${spreadOf(each, 1)})`)
    return [`an authentication: ${one}, without the watermark ${other}`]
  })
}

/** How long the documented client takes to hold what one large transaction has written, and how often it asks. */
async function largeImport(service: string, { adminUrl, writerUrl }: Scratch, size: Size): Promise<string[]> {
  const { importRows, archived } = size
  const { id, token } = await makeStudio(adminUrl, 'The importing studio', { items: 2 * archived, locations: 20 })
  const client = createSyncClient({ baseUrl: () => `${service}/v1`, token })
  const read = await timed(() => client.poll())
  const first = client.counts.requests
  let over = false
  const writing = timed(() =>
    withStudioWriter(writerUrl, id, async (transaction) => {
      await transaction.query(insert, [id, importRows])
      await transaction.query(
        `update app.items set archived_at = now() where studio_id = $1 and id = any (array(
           select id from app.items where studio_id = $1 and archived_at is null and external_key like 'key-%' limit $2))`,
        [id, archived],
      )
    }),
  ).finally(() => {
    over = true
  })
  let meanwhile = 0
  while (!over) {
    await client.poll()
    meanwhile = client.counts.requests - first
    await Promise.race([sleep(1_000), writing])
  }
  const transaction = await writing
  const committed = performance.now()
  const before = client.counts.requests
  const wanted = await withClient(adminUrl, (admin) =>
    admin.query(`select id from app.items where studio_id = $1 and archived_at is null`, [id]),
  )
  const isWhole = () =>
    client.copy.item.size === wanted.rows.length && wanted.rows.every((row) => client.copy.item.has(row.id))
  while (!isWhole()) {
    if (performance.now() - committed > 600_000) throw new Error('the copy does not become whole')
    await client.poll()
    if (!isWhole()) await sleep(1_000)
  }
  const whole = (performance.now() - committed) / 1_000
  const requests = client.counts.requests - before
  return [
    `${importRows} new and ${archived} archived items in one transaction of ${transaction.toFixed(1)} s:`,
    `  first copy (${2 * archived} items): ${first} requests, ${read.toFixed(1)} s; while the transaction was open ${meanwhile} requests`,
    `  whole ${whole.toFixed(1)} s after its commit, ${requests} requests, ${client.counts.fullReadings} full reading(s)`,
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

const spreadOf = (values: number[], digits = 2) =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`

await main()
