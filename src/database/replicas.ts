import type { Config } from '../config/config.ts'
import { hostsText } from '../config/postgres-url.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { type Answer, queryAnswer } from './answer.ts'
import type { Database } from './database.ts'
import { createPool, type Pool } from './pool.ts'
import { replicaUrl } from './roles.ts'
import type { Statement } from './statement.ts'

/** Replicas of the primary that may be read from. The caller decides whether an answer is usable. */
export type Replicas = {
  /**
   * Runs a statement on the next replica in use.
   *
   * @param current whether an answer is current; another is discarded and counts against the replica
   * @returns undefined when no replica has a current answer: then the primary has to be queried
   */
  query(
    statement: Statement,
    values: readonly unknown[],
    current: (answer: Answer) => boolean,
  ): Promise<Answer | undefined>
  /** The state of each replica, in the order of their URLs. */
  states(): ReplicaState[]
  /** The pool of each. */
  pools: readonly Pool[]
  close(): Promise<void>
}

export type ReplicaState = {
  /** Host and port. */
  name: string
  inUse: boolean
  /** Answers so far: current, behind, failed. */
  current: number
  behind: number
  failed: number
}

export type ReplicaOptions = {
  /** Connection strings whose host, port, database and TLS are taken. */
  urls: readonly string[]
  /** The connection string of studio_api, whose login is taken. */
  login: string
  /** The maximum number of connections to each. */
  size: number
  preparedStatements?: boolean
  /** How long the circuit of a replica stays open: longer each time in a row, in milliseconds. */
  backoffMs?: readonly number[]
  log: Logger
}

/** How long a replica may take to connect, and to answer, in milliseconds: the primary could answer meanwhile. */
const replicaTimeoutMs = 500

/** After this many answers in a row that are not current the circuit opens. */
const maxBehind = 3

type Replica = {
  name: string
  pool: Pool
  /** Answers in a row that were not current. */
  behind: number
  answers: Pick<ReplicaState, 'current' | 'behind' | 'failed'>
  /** The circuit breaker, undefined while it is closed. Half-open: the replica runs one statement on trial. */
  breaker: { openUntil: number; failures: number; halfOpen: boolean } | undefined
}

/**
 * Opens the replicas; nothing connects yet. Each has a circuit breaker, which opens when the replica cannot be reached or lags.
 * After the backoff it is half-open: the next request runs its statement there too, without waiting for it, and a current
 * answer closes the circuit. So the recovery of a replica delays no request.
 */
export function openReplicas({
  urls,
  login,
  size,
  preparedStatements = true,
  backoffMs = [1_000, 2_000, 5_000, 15_000],
  log,
}: ReplicaOptions): Replicas {
  const replicas = urls.map((url): Replica => {
    const pool = createPool(replicaUrl(url, login), {
      longTextsAsBuffers: true,
      applicationName: 'studio-inventory studio_api',
      size,
      acquireTimeoutMs: replicaTimeoutMs,
      statementTimeoutMs: replicaTimeoutMs,
      preparedStatements,
      log,
    })
    return { name: nameOf(url), pool, behind: 0, answers: { current: 0, behind: 0, failed: 0 }, breaker: undefined }
  })
  let turn = 0

  function open(replica: Replica, reason: string): void {
    const { breaker } = replica
    // Of many concurrent requests, the first one to fail opens the circuit.
    if (breaker !== undefined && !breaker.halfOpen) return
    const failures = breaker?.failures ?? 0
    const backoff = backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 0
    replica.breaker = { openUntil: Date.now() + backoff, failures: failures + 1, halfOpen: false }
    replica.behind = 0
    if (failures === 0) log.warn({ replica: replica.name, reason }, 'a replica is not read from, its circuit is open')
  }

  function isCurrent(replica: Replica): void {
    replica.behind = 0
    if (!replica.breaker?.halfOpen) return
    replica.breaker = undefined
    log.info({ replica: replica.name }, 'a replica is read from again, its circuit is closed')
  }

  function isBehind(replica: Replica): void {
    replica.behind += 1
    if (replica.breaker?.halfOpen || replica.behind >= maxBehind) open(replica, 'it lags behind the primary')
  }

  const attempt: (replica: Replica, ...asked: Parameters<Replicas['query']>) => ReturnType<Replicas['query']> = async (
    replica,
    statement,
    values,
    current,
  ) => {
    try {
      const answer = await queryAnswer(replica.pool, statement, values)
      if (current(answer)) {
        replica.answers.current += 1
        isCurrent(replica)
        return answer
      }
      replica.answers.behind += 1
      isBehind(replica)
    } catch (error) {
      replica.answers.failed += 1
      open(replica, messageOf(error))
    }
    return undefined
  }

  return {
    async query(...asked) {
      for (const replica of replicas) {
        const { breaker } = replica
        if (breaker === undefined || breaker.halfOpen || breaker.openUntil > Date.now()) continue
        breaker.halfOpen = true
        void attempt(replica, ...asked)
      }
      // One whose connections are all busy is skipped: the primary is no slower than its queue.
      const ready = replicas.filter(({ breaker, pool }) => breaker === undefined && hasCapacity(pool, size))
      const replica = ready[turn++ % ready.length]
      return replica && attempt(replica, ...asked)
    },
    states: () => replicas.map(({ name, answers, breaker }) => ({ name, inUse: breaker === undefined, ...answers })),
    pools: replicas.map(({ pool }) => pool),
    async close() {
      await Promise.all(replicas.map(({ pool }) => pool.close()))
    },
  }
}

function hasCapacity(pool: Pool, size: number): boolean {
  const { size: open, idle, waiting } = pool.stats()
  return idle > waiting || open + waiting < size
}

function nameOf(url: string): string {
  return new URL(url).host || hostsText(url)
}

/** The replicas of the configuration; undefined without any. */
export function replicasFor(
  { scaling, poolSize }: Pick<Config, 'scaling' | 'poolSize'>,
  { urlFor }: Pick<Database, 'urlFor'>,
  log: Logger,
): Replicas | undefined {
  const { replicaUrls: urls, preparedStatements } = scaling
  if (urls.length === 0) return undefined
  return openReplicas({ urls, login: urlFor('studio_api'), size: poolSize, preparedStatements, log })
}
