import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '../http/readiness.ts'

export type CheckedCell = { name: string | undefined; check(): Promise<Readiness> }

/** How long a cell is waited for after another was found ready, in milliseconds: balancers do not wait for long. */
const othersMs = 500

const silent: Readiness = { ready: false, reason: 'the database does not answer', isDown: true }

/**
 * Readiness over all cells. Of one it is that cell's. Of several: one that cannot be reached must not take the others out of the balancer,
 * so one that is ready is enough, and no cell is waited for longer than half a second after another was ready. Until the process has been
 * ready once, though, a cell that can be reached and is not as it has to be (not migrated, or objected to by the audit) counts: a new
 * release gets no requests before all its cells are migrated.
 */
export function readinessOfCells(cells: readonly [CheckedCell, ...CheckedCell[]]): () => Promise<Readiness> {
  const [only] = cells
  if (cells.length === 1) return only.check
  let wasReady = false

  return async () => {
    const states = await statesOf(cells)
    const ready = states.find(({ state }) => state.ready)
    const isWrong = states.some(({ state }) => !state.ready && !state.isDown)
    const of = Object.fromEntries(states.map(({ name, state }) => [name, state.ready ? 'ready' : state.reason]))
    if (ready?.state.ready && (wasReady || !isWrong)) {
      wasReady = true
      return { ready: true, schemaVersion: ready.state.schemaVersion, cells: of }
    }
    const reason = ready === undefined ? 'no cell is ready' : 'not all cells are ready for this release'
    return { ready: false, reason, cells: of, ...(isWrong ? {} : { isDown: true as const }) }
  }
}

async function statesOf(cells: readonly CheckedCell[]): Promise<{ name: string; state: Readiness }[]> {
  const checks = cells.map(({ check }) => check())
  const firstReady = Promise.any(
    checks.map(async (check) => {
      if (!(await check).ready) throw new Error('not ready')
    }),
  )
  const enough = firstReady.then(
    () => sleep(othersMs, silent, { ref: false }),
    () => new Promise<never>(() => {}),
  )
  return Promise.all(
    cells.map(async ({ name = '' }, index) => {
      const check = checks[index] ?? silent
      return { name, state: await Promise.race([check, enough]) }
    }),
  )
}
