import { hostText } from '../config/postgres-url.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { type OperationRow, queryOperation } from './operation-row.ts'
import { createPool, type Pool } from './pool.ts'
import { firstOf, type LoginUrl } from './roles.ts'
import type { Statement } from './statement.ts'

/** How many answers of a replica had each outcome, and whether it is in use: an error pauses it. */
export type ReplicaState = { inUse: boolean; current: number; behind: number; failed: number }

export type Replicas = ReturnType<typeof replicasOf>

type ReplicasOptions = {
  /** How long an error pauses a replica, in milliseconds. */
  pauseMs?: number | undefined
  log: Logger
}

/** How long a replica may take to connect and to answer, before the primary is asked. */
const settings = { applicationName: 'studio-inventory studio_api', acquireTimeoutMs: 500, statementTimeoutMs: 500 }

/** If a replica already runs this many statements for each connection, the primary reads instead. */
const mostPerConnection = 8

/** Opens the replicas at `urls`; connects later. */
export function openReplicas(
  options: ReplicasOptions & { urls: readonly LoginUrl[]; size: number; preparedStatements?: boolean },
): Replicas {
  const { urls, size, preparedStatements = true, log } = options
  const pools = urls.map((url) => ({
    name: hostText(firstOf(url)),
    pool: createPool(url, { ...settings, size, preparedStatements, log }),
  }))
  return replicasOf(pools, options)
}

/** Reads from the replicas in turn. A read may wait for one: the primary is busier. */
export function replicasOf(pools: readonly { name: string; pool: Pool }[], { pauseMs = 3_000, log }: ReplicasOptions) {
  const replicas = pools.map(({ name, pool }) => {
    const state: ReplicaState = { inUse: true, current: 0, behind: 0, failed: 0 }
    return { name, pool, state, running: 0, pausedUntil: 0 }
  })
  let turn = 0

  function next(): (typeof replicas)[number] | undefined {
    const now = performance.now()
    const usable = replicas.filter(
      ({ pausedUntil, running, pool }) => pausedUntil <= now && running < pool.maxConcurrency * mostPerConnection,
    )
    const replica = usable[turn++ % usable.length]
    // After a pause, one statement tries the replica. The others use the primary until it succeeds.
    if (replica?.state.inUse === false) replica.pausedUntil = now + pauseMs
    return replica
  }

  return {
    /** Asks the next replica, then the primary if that fails or its answer is not `current`.
     * @throws what `fromPrimary` throws */
    async query(
      statement: Statement,
      values: readonly unknown[],
      current: (row: OperationRow) => boolean,
      fromPrimary: () => Promise<OperationRow>,
    ): Promise<OperationRow> {
      const replica = next()
      if (replica === undefined) return fromPrimary()
      const { name, pool, state } = replica
      replica.running += 1
      try {
        const row = await queryOperation(pool, statement, values)
        if (!state.inUse) log.info({ replica: name }, 'a replica is read from again')
        state.inUse = true
        replica.pausedUntil = 0
        const isCurrent = current(row)
        state[isCurrent ? 'current' : 'behind'] += 1
        if (isCurrent) return row
      } catch (error) {
        if (state.inUse) log.warn({ replica: name, reason: messageOf(error) }, 'a replica failed; the primary reads')
        state.inUse = false
        state.failed += 1
        replica.pausedUntil = performance.now() + pauseMs
      } finally {
        replica.running -= 1
      }
      return fromPrimary()
    },
    /** The state of each replica, in the order of their URLs. */
    states: (): ReplicaState[] => replicas.map(({ state }) => ({ ...state })),
    pools: pools.map(({ pool }) => pool),
    close: async (): Promise<void> => void (await Promise.all(pools.map(({ pool }) => pool.close()))),
  }
}
