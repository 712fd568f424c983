import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { type Answer, queryAnswer } from './answer.ts'
import type { Pool } from './pool.ts'
import type { Statement } from './statement.ts'

/** After this many answers in a row that are not current the circuit opens. */
const maxBehind = 3

export type ReplicaState = {
  /** Host and port. */
  name: string
  inUse: boolean
  /** Answers so far: current, behind, failed. */
  current: number
  behind: number
  failed: number
}

/** Runs a statement on a replica. Undefined when it failed or its answer is not current, which counts against it. */
type Attempt = (
  statement: Statement,
  values: readonly unknown[],
  current: (answer: Answer) => boolean,
) => Promise<Answer | undefined>

/** A replica with a circuit breaker, which opens when the replica cannot be reached or lags. */
export type Replica = {
  pool: Pool
  /** Statements under way, as counted by whoever sends them. */
  running: number
  attempt: Attempt
  /** Whether the circuit is closed. */
  isInUse(): boolean
  /** Whether the backoff is over. If so the circuit is half-open from now on: the next attempt decides whether it closes. */
  isDue(): boolean
  state(): ReplicaState
}

export type ReplicaOptions = {
  name: string
  pool: Pool
  /** How long the circuit stays open: longer each time in a row, in milliseconds. */
  backoffMs: readonly number[]
  log: Logger
}

export function createReplica({ name, pool, backoffMs, log }: ReplicaOptions): Replica {
  const answers = { current: 0, behind: 0, failed: 0 }
  /** Answers in a row that were not current. */
  let behind = 0
  /** Undefined while the circuit is closed. */
  let breaker: { openUntil: number; failures: number; halfOpen: boolean } | undefined

  function open(reason: string): void {
    // Of many concurrent requests, the first one to fail opens the circuit.
    if (breaker !== undefined && !breaker.halfOpen) return
    const failures = breaker?.failures ?? 0
    const backoff = backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 0
    breaker = { openUntil: Date.now() + backoff, failures: failures + 1, halfOpen: false }
    behind = 0
    if (failures === 0) log.warn({ replica: name, reason }, 'a replica is not read from, its circuit is open')
  }

  function isCurrent(): void {
    behind = 0
    if (!breaker?.halfOpen) return
    breaker = undefined
    log.info({ replica: name }, 'a replica is read from again, its circuit is closed')
  }

  function isBehind(): void {
    behind += 1
    if (breaker?.halfOpen || behind >= maxBehind) open('it lags behind the primary')
  }

  return {
    pool,
    running: 0,
    async attempt(statement, values, current) {
      try {
        const answer = await queryAnswer(pool, statement, values)
        if (current(answer)) {
          answers.current += 1
          isCurrent()
          return answer
        }
        answers.behind += 1
        isBehind()
      } catch (error) {
        answers.failed += 1
        open(messageOf(error))
      }
      return undefined
    },
    isInUse: () => breaker === undefined,
    isDue() {
      if (breaker === undefined || breaker.halfOpen || breaker.openUntil > Date.now()) return false
      breaker.halfOpen = true
      return true
    },
    state: () => ({ name, inUse: breaker === undefined, ...answers }),
  }
}
