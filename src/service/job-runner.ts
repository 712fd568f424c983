import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import type { JobState } from '../observability/metrics.ts'

/** Work that the service repeats. Each transaction of it is small, so a run that stops half-way
 * continues with the next one. */
type Job = {
  /** The log, the metrics and `studio-inventory jobs` name the job so. */
  name: string
  /** The pause after a run, in milliseconds. */
  everyMs: number
  /** @returns how many rows it changed; nothing for a job that changes none */
  run(): Promise<number | undefined>
}

/** A run that ended; `failure` is the reason of one that failed. */
export type JobRun = Pick<Job, 'name' | 'everyMs'> & { seconds: number; rows: number; failure: string | undefined }

/** Stops a job. The promise resolves when no run is left. */
export type Stop = () => Promise<void>

export type Jobs = ReturnType<typeof createJobs>

/** How often to log that a job still fails, in milliseconds. */
const saidEveryMs = 600_000

/** How often to keep the outcome of a job that goes as before, in milliseconds. */
const keptEveryMs = 60_000

/** Repeats jobs. `keep` stores an outcome for people who ask later. */
export function createJobs(log: Logger, keep: (run: JobRun) => Promise<unknown> = async () => undefined) {
  const states: JobState[] = []

  /** Runs a job with pauses until it is stopped. Logs a failure, again every ten minutes, and the recovery. */
  function repeat({ name, everyMs, run }: Job): Stop {
    const state: JobState = {
      ...{ name, everySeconds: everyMs / 1000, succeededAt: Date.now() },
      ...{ seconds: 0, rows: 0, failures: 0 },
    }
    states.push(state)
    const stopping = new AbortController()
    let failing = false
    let keptAt = Number.NEGATIVE_INFINITY
    let saidAt = Number.NEGATIVE_INFINITY

    async function once(): Promise<void> {
      const began = performance.now()
      const wasFailing = failing
      let rows = 0
      let failure: string | undefined
      try {
        rows = (await run()) ?? 0
        if (failing) log.info({ job: name }, 'a job works again')
        state.succeededAt = Date.now()
        state.rows += rows
      } catch (error) {
        failure = messageOf(error)
        state.failures += 1
        if (!failing || performance.now() - saidAt >= saidEveryMs) {
          saidAt = performance.now()
          log.warn({ job: name, reason: failure }, failing ? 'a job still fails' : 'a job fails')
        }
      }
      failing = failure !== undefined
      state.seconds = (performance.now() - began) / 1000
      if (failing === wasFailing && rows === 0 && performance.now() - keptAt < keptEveryMs) return
      keptAt = performance.now()
      await keep({ name, everyMs, seconds: state.seconds, rows, failure }).catch(() => undefined)
    }

    async function loop(): Promise<void> {
      while (!stopping.signal.aborted) {
        await once()
        await sleep(everyMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
      }
    }

    const looping = loop()
    return async () => {
      stopping.abort()
      await looping
    }
  }

  return { log, repeat, states: (): readonly JobState[] => states }
}
