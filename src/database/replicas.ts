import type { Config } from '../config/config.ts'
import type { Logger } from '../observability/log.ts'
import type { Database } from './database.ts'
import { makePool, type Pool, sendUnnamed } from './pools.ts'
import { replicaUrl } from './roles.ts'
import { type Answer, runStatement, type Statement } from './statement.ts'

/** Replicas of the primary that may be read from. What they say is judged by who asks. */
export type Replicas = {
  /**
   * Runs a statement on the next replica in use.
   *
   * @param current whether an answer is of this moment; another is thrown away and counts against the replica
   * @returns undefined when no replica has an answer of this moment: then the primary has to be asked
   */
  ask(
    statement: Statement,
    values: readonly unknown[],
    current: (answer: Answer) => boolean,
  ): Promise<Answer | undefined>
  /** How each replica is doing, in the order of their URLs. */
  states(): ReplicaState[]
  /** The pool of each. */
  pools: readonly Pool[]
  close(): Promise<void>
}

export type ReplicaState = {
  /** Host and port. */
  name: string
  inUse: boolean
  /** Answers so far: of this moment, of another one, none. */
  current: number
  behind: number
  failed: number
}

export type ReplicaOptions = {
  /** Connection strings whose host, port, database and TLS are taken. */
  urls: readonly string[]
  /** The connection string of studio_api, whose login is taken. */
  login: string
  /** The most connections to each. */
  size: number
  preparedStatements?: boolean
  /** How long a replica is left out before it is tried again: longer each time in a row, in milliseconds. */
  pauses?: readonly number[]
  log: Logger
}

/** How long a replica may take to take a connection, and to answer, in milliseconds: the primary could answer meanwhile. */
const patience = 500

/** After so many answers in a row that are not of this moment a replica is left out. */
const mostBehind = 3

type Replica = {
  name: string
  pool: Pool
  /** Answers in a row that were not of this moment. */
  behind: number
  answers: Pick<ReplicaState, 'current' | 'behind' | 'failed'>
  /** Undefined while it is in use. */
  out: { until: number; times: number; tried: boolean } | undefined
}

/**
 * Opens the replicas; nothing connects yet. One that cannot be reached, or lags, is left out for a while. Then the next
 * request lets it try the same statement besides, without waiting for it: coming back costs nobody anything.
 */
export function openReplicas({
  urls,
  login,
  size,
  preparedStatements = true,
  pauses = [1_000, 2_000, 5_000, 15_000],
  log,
}: ReplicaOptions): Replicas {
  const replicas = urls.map((url): Replica => {
    const pool = makePool(replicaUrl(url, login), {
      applicationName: 'studio-inventory studio_api',
      size,
      acquireTimeoutMs: patience,
      statementTimeoutMs: patience,
      log,
    })
    if (!preparedStatements) sendUnnamed(pool)
    return { name: nameOf(url), pool, behind: 0, answers: { current: 0, behind: 0, failed: 0 }, out: undefined }
  })
  let turn = 0

  function leaveOut(replica: Replica, reason: string): void {
    // Of many requests under way, the first one to find out says so.
    if (replica.out !== undefined && !replica.out.tried) return
    const times = replica.out?.times ?? 0
    const pause = pauses[Math.min(times, pauses.length - 1)] ?? 0
    replica.out = { until: Date.now() + pause, times: times + 1, tried: false }
    replica.behind = 0
    if (times === 0) log.warn({ replica: replica.name, reason }, 'a replica is left out')
  }

  function isCurrent(replica: Replica): void {
    replica.behind = 0
    if (replica.out === undefined || !replica.out.tried) return
    replica.out = undefined
    log.info({ replica: replica.name }, 'a replica is used again')
  }

  function isBehind(replica: Replica): void {
    replica.behind += 1
    if (replica.out?.tried || replica.behind >= mostBehind) leaveOut(replica, 'it lags behind the primary')
  }

  const attempt: (replica: Replica, ...asked: Parameters<Replicas['ask']>) => ReturnType<Replicas['ask']> = async (
    replica,
    statement,
    values,
    current,
  ) => {
    try {
      const answer = await runStatement(replica.pool, statement, values)
      if (current(answer)) {
        replica.answers.current += 1
        isCurrent(replica)
        return answer
      }
      replica.answers.behind += 1
      isBehind(replica)
    } catch (error) {
      replica.answers.failed += 1
      leaveOut(replica, error instanceof Error ? error.message : String(error))
    }
    return undefined
  }

  return {
    async ask(...asked) {
      for (const replica of replicas) {
        if (replica.out === undefined || replica.out.tried || replica.out.until > Date.now()) continue
        replica.out.tried = true
        void attempt(replica, ...asked)
      }
      // One whose connections are all busy is passed over: the primary is no further away than its queue.
      const ready = replicas.filter(({ out, pool }) => out === undefined && hasRoom(pool, size))
      const replica = ready[turn++ % ready.length]
      return replica && attempt(replica, ...asked)
    },
    states: () => replicas.map(({ name, answers, out }) => ({ name, inUse: out === undefined, ...answers })),
    pools: replicas.map(({ pool }) => pool),
    async close() {
      await Promise.all(replicas.map(({ pool }) => pool.end()))
    },
  }
}

function hasRoom(pool: Pool, size: number): boolean {
  return pool.idleCount > pool.waitingCount || pool.totalCount + pool.waitingCount < size
}

function nameOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return host || searchParams.get('host') || 'localhost'
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
