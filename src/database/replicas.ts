import type { Config } from '../config/config.ts'
import { hostsText } from '../config/postgres-url.ts'
import type { Logger } from '../observability/log.ts'
import type { Answer } from './answer.ts'
import type { Database } from './database.ts'
import { createPool, type Pool } from './pool.ts'
import { createReplica, type Replica, type ReplicaState } from './replica.ts'
import { replicaUrl } from './roles.ts'
import type { Statement } from './statement.ts'
import { createWaitingLine } from './waiting-line.ts'

/** Replicas of the primary that may be read from. The caller decides whether an answer is usable. */
export type Replicas = {
  /**
   * Has a replica answer, and the primary when no replica does.
   *
   * @param current whether an answer is current; another is discarded and counts against the replica
   * @param fromPrimary has the primary answer
   * @throws what `fromPrimary` throws
   */
  query(
    statement: Statement,
    values: readonly unknown[],
    current: (answer: Answer) => boolean,
    fromPrimary: () => Promise<Answer>,
  ): Promise<Answer>
  /** The state of each replica, in the order of their URLs. */
  states(): ReplicaState[]
  /** The pool of each. */
  pools: readonly Pool[]
  close(): Promise<void>
}

export type ReplicasOptions = {
  /** The pool of studio_api on the primary. */
  primary: Pick<Pool, 'stats'>
  /** How long the circuit of a replica stays open: longer each time in a row, in milliseconds. */
  backoffMs?: readonly number[]
  log: Logger
}

export type ReplicaPoolsOptions = {
  /** Connection strings whose host, port, database and TLS are taken. */
  urls: readonly string[]
  /** The connection string of studio_api, whose login is taken. */
  login: string
  /** The maximum number of connections to each. */
  size: number
  preparedStatements?: boolean
}

/**
 * How long a read waits for a replica with a free connection, and how long a replica may take to connect, and to answer, in
 * milliseconds: the primary could answer meanwhile.
 */
const replicaTimeoutMs = 500

/** After this time the primary takes a read when it is idle, in milliseconds. */
const primaryAfterMs = 50

/** Opens the replicas; nothing connects yet. */
export function openReplicas(options: ReplicasOptions & ReplicaPoolsOptions): Replicas {
  const { urls, login, size, preparedStatements = true, log } = options
  const pools = urls.map((url) => ({
    name: new URL(url).host || hostsText(url),
    pool: createPool(replicaUrl(url, login), {
      longTextsAsBuffers: true,
      applicationName: 'studio-inventory studio_api',
      size,
      acquireTimeoutMs: replicaTimeoutMs,
      statementTimeoutMs: replicaTimeoutMs,
      preparedStatements,
      log,
    }),
  }))
  return replicasOf(pools, options)
}

/**
 * Reads from replicas by their pools. A read takes the next replica in use with a free connection. While all are busy it waits for
 * one: the primary, which authenticates every request, is what runs short. It reads what has waited for a while, one at a time and only
 * when it does nothing else for this process; and what has waited for half a second.
 *
 * After the backoff of its circuit breaker a replica gets the statement of the next request too, which does not wait for it: a current
 * answer closes the circuit. So the recovery of a replica delays no request.
 */
export function replicasOf(
  pools: readonly { name: string; pool: Pool }[],
  { primary, backoffMs = [1_000, 2_000, 5_000, 15_000], log }: ReplicasOptions,
): Replicas {
  const replicas = pools.map((given) => createReplica({ ...given, backoffMs, log }))
  const ofPrimary = { running: 0 }
  const line = createWaitingLine({ take, againAfterMs: primaryAfterMs, timeoutMs: replicaTimeoutMs })
  let turn = 0

  /** A replica with a free connection, else the primary: when it is idle, or no replica is in use. */
  function take(waitedMs: number): Replica | typeof ofPrimary | undefined {
    const inUse = replicas.filter((replica) => replica.isInUse())
    const free = inUse.filter(({ running, pool }) => running < pool.maxConcurrency)
    const fromPrimary = inUse.length === 0 || (waitedMs >= primaryAfterMs && primaryIsIdle())
    const taken = free[turn++ % free.length] ?? (fromPrimary ? ofPrimary : undefined)
    if (taken) taken.running += 1
    return taken
  }

  function primaryIsIdle(): boolean {
    const { size, idle, waiting } = primary.stats()
    return ofPrimary.running === 0 && waiting === 0 && idle === size
  }

  async function runOn<Result>(taken: { running: number }, run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } finally {
      taken.running -= 1
      line.serve()
    }
  }

  return {
    async query(statement, values, current, fromPrimary) {
      for (const replica of replicas.filter(({ isDue }) => isDue())) {
        replica.running += 1
        void runOn(replica, () => replica.attempt(statement, values, current))
      }
      const taken = await line.next()
      if (taken === undefined) return fromPrimary()
      if (!('attempt' in taken)) return runOn(taken, fromPrimary)
      return (await runOn(taken, () => taken.attempt(statement, values, current))) ?? fromPrimary()
    },
    states: () => replicas.map((replica) => replica.state()),
    pools: pools.map(({ pool }) => pool),
    async close() {
      await Promise.all(pools.map(({ pool }) => pool.close()))
    },
  }
}

/** The replicas of the configuration; undefined without any. */
export function replicasFor(
  { scaling, poolSize }: Pick<Config, 'scaling' | 'poolSize'>,
  { urlFor }: Pick<Database, 'urlFor'>,
  primary: Pool,
  log: Logger,
): Replicas | undefined {
  const { replicaUrls: urls, preparedStatements } = scaling
  if (urls.length === 0) return undefined
  return openReplicas({ urls, login: urlFor('studio_api'), size: poolSize, preparedStatements, primary, log })
}
