import { parseArgs } from 'node:util'
import { markdownTable } from '../../support/table.ts'
import { median } from '../contest.ts'
import { type BenchRequest, load, percentile } from '../load.ts'
import { restWording, taker } from '../questions.ts'
import { answersOfReplicas, type Cluster, openCluster } from './servers.ts'

type Size = { studios: number; rounds: number; ms: number; warmUpMs: number }
const full: Size = { studios: 200, rounds: 3, ms: 4_000, warmUpMs: 1_000 }
const quick: Size = { studios: 20, rounds: 1, ms: 2_000, warmUpMs: 500 }

const maxReplicas = 3
const authenticationOnly = 'authentication only'
const connections = 32
/** Processor time of each PostgreSQL for each second: small, so that the two cores of a usual machine are never the limit. */
const quotaMs = 100
/** The same of a primary that has little time, to show what happens when authentication takes all of it. */
const shortQuotaMs = 30

/** What one round of one service took. */
type Measured = {
  perSecond: number
  p50: number
  p99: number
  /** The share of answers that replicas gave. */
  share: number
  /** Processor time of the primary for each request, and of replicas for each answer of theirs, in milliseconds. */
  primaryMs: number
  replicaMs: number
  /** The share of the quota that was used, by the primary, and by the replicas together. */
  primaryBusy: number
  replicasBusy: number
}

/**
 * What replicas take off a primary that has little processor time: `npm run bench:replicas`, as root. `--quick` shows whether it works.
 * Each PostgreSQL is in a control group with a quota; the service and the clients have the rest of the machine.
 */
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
    const cluster = await openCluster({ replicas: maxReplicas, studios: size.studios }, closers)
    // Without quotas, connections are opened and statements planned.
    const lists = cluster.studios.map((studio) => restWording({ studio }))
    for (const { origin } of cluster.services) await load({ origin, connections, next: taker(lists), ms: 3_000 })
    for (const { cgroup } of cluster.replicas) await cgroup.limit(quotaMs)
    const lines = [
      `${size.studios} studios, ${connections} connections, lists of 50 items that are not cached; median of ${size.rounds} rounds of ${size.ms / 1_000} s, in turns.`,
    ]
    for (const primaryQuotaMs of [quotaMs, shortQuotaMs]) {
      await cluster.primary.cgroup.limit(primaryQuotaMs)
      lines.push('', ...(await tableFor(cluster, lists, primaryQuotaMs, size)))
    }
    console.log(lines.join('\n'))
  } finally {
    await closeAll()
  }
}

async function tableFor(
  cluster: Cluster,
  lists: BenchRequest[],
  primaryQuotaMs: number,
  size: Size,
): Promise<string[]> {
  const known = await Promise.all(cluster.studios.map((studio) => unchanged(cluster, studio.token)))
  const contestants = [
    ...cluster.services.map((_, replicas) => ({ name: String(replicas), replicas, asked: lists })),
    { name: authenticationOnly, replicas: 0, asked: known },
  ]
  const rounds = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < size.rounds; round += 1) {
    for (let turn = 0; turn < contestants.length; turn += 1) {
      const { name, replicas, asked } = contestants[(turn + round) % contestants.length] as (typeof contestants)[number]
      const measured = await measure(cluster, replicas, asked, primaryQuotaMs, size)
      rounds.get(name)?.push(measured)
      process.stderr.write(`${primaryQuotaMs} ms, round ${round + 1}, ${name}: ${JSON.stringify(measured)}\n`)
    }
  }
  const rows = [...rounds].map(([name, all]) => {
    const of = (key: keyof Measured) => median(all.map((one) => one[key]))
    const hasReplicas = of('share') > 0
    return {
      replicas: name,
      'requests/s': of('perSecond').toFixed(0),
      p50: `${of('p50').toFixed(0)} ms`,
      p99: `${of('p99').toFixed(0)} ms`,
      'from replicas': percent(of('share')),
      'primary, each request': `${of('primaryMs').toFixed(2)} ms`,
      'primary busy': percent(of('primaryBusy')),
      'replicas, each answer': hasReplicas ? `${of('replicaMs').toFixed(2)} ms` : '',
      'replicas busy': hasReplicas ? percent(of('replicasBusy')) : '',
    }
  })
  const about = `Processor time for each second: the primary ${primaryQuotaMs} ms, each replica ${quotaMs} ms.`
  const eachMs = median((rounds.get(authenticationOnly) ?? []).map(({ primaryMs }) => primaryMs))
  const most = (msPerSecond: number) => Number((msPerSecond / eachMs).toPrecision(2)).toLocaleString('en-US')
  const limit = `An authentication takes the primary ${eachMs.toFixed(2)} ms: at most ${most(primaryQuotaMs)} requests/s, ${most(1_000)} with a whole core.`
  return [about, '', markdownTable(rows), '', limit]
}

async function measure(
  { primary, replicas, services }: Cluster,
  count: number,
  asked: BenchRequest[],
  primaryQuotaMs: number,
  { ms, warmUpMs }: Size,
): Promise<Measured> {
  const service = services[count] as Cluster['services'][number]
  const next = taker(asked)
  const used = async () => ({
    primary: await primary.cgroup.usedMs(),
    replicas: (await Promise.all(replicas.map(({ cgroup }) => cgroup.usedMs())))
      .slice(0, count)
      .reduce((a, b) => a + b, 0),
    answers: await answersOfReplicas(service),
  })
  await load({ origin: service.origin, connections, next, ms: warmUpMs })
  const before = await used()
  const { requests, seconds, latencies } = await load({ origin: service.origin, connections, next, ms })
  const after = await used()
  const answers = after.answers - before.answers
  const [primaryMs, replicasMs] = [after.primary - before.primary, after.replicas - before.replicas]
  return {
    perSecond: requests / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    share: answers / requests,
    primaryMs: primaryMs / requests,
    replicaMs: replicasMs / answers,
    primaryBusy: primaryMs / seconds / primaryQuotaMs,
    replicasBusy: replicasMs / seconds / quotaMs / count,
  }
}

/** A request that a client repeats with the ETag of its answer: the primary authenticates it, and nothing is read. */
async function unchanged({ services }: Cluster, token: string): Promise<BenchRequest> {
  const [path, headers] = ['/v1/locations', { authorization: `Bearer ${token}` }]
  const response = await fetch(`${services[0]?.origin}${path}`, { headers })
  await response.arrayBuffer()
  const tag = response.headers.get('etag')
  if (tag === null) throw new Error(`${path}: ${response.status}, no ETag`)
  return { path, headers: { ...headers, 'if-none-match': tag }, status: 304 }
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`

await main()
