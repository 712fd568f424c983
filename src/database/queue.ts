import { concernsAll, DatabaseUnavailable } from './errors.ts'
import type { Pool } from './pool.ts'
import type { Request, Send, Statement } from './statement.ts'

export type QueueOptions = {
  /** How many connections are used at a time. */
  concurrency: number
  /** How many statements are sent on one of them together. */
  maxPipelined: number
  /** Milliseconds since some moment. */
  now?: () => number
}

/** After a failure that took longer than this, in milliseconds, whoever waits would probably wait as long again. */
const quickFailureMs = 100

/** How long a statement waits while all others take too long, in milliseconds. */
const longestWaitMs = 1_000

type Waiting = Request & {
  since: number
  resolve(rows: object[]): void
  reject(error: unknown): void
}

/**
 * Sends each request's own statement. While connections are free, those of one turn of the event loop are sent at its end; otherwise
 * they wait in order for a connection, which takes up to `maxPipelined` of them: they are sent in one go, and PostgreSQL runs
 * one after the other, each as a transaction of its own. To wake a process for each of them would cost more than most of them do.
 *
 * When the database was unavailable to a statement for long, and answered no other meanwhile, those that have waited for a second fail with
 * it; all of them when it was silent, or the pool had no free connection.
 * The instrumentation sees each statement from the arrival of its request to the answer.
 *
 * The returned function throws DatabaseUnavailable (Overloaded, when too many wait) or StatementFailed.
 */
export function createQueue(
  pool: Pool,
  { concurrency, maxPipelined, now = () => performance.now() }: QueueOptions,
): Send {
  const queue: Waiting[] = []
  let underWay = 0
  let scheduled = false
  let answeredAt = Number.NEGATIVE_INFINITY

  function schedule(): void {
    if (scheduled || underWay >= concurrency || queue.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      while (underWay < concurrency && queue.length > 0) {
        void run(take(Math.min(maxPipelined, Math.ceil(queue.length / (concurrency - underWay)))))
      }
    })
  }

  async function run(pipelined: Waiting[]): Promise<void> {
    underWay += 1
    const began = now()
    await Promise.all(
      pool.queryPipelined(pipelined).map(async (answer, index) => {
        try {
          pipelined[index]?.resolve(await answer)
          answeredAt = now()
        } catch (error) {
          pipelined[index]?.reject(error)
          failed(error, began)
        }
      }),
    )
    underWay -= 1
    schedule()
  }

  function failed(error: unknown, began: number): void {
    if (!(error instanceof DatabaseUnavailable)) answeredAt = now()
    else if (answeredAt < began && now() - began > quickFailureMs) {
      const until = concernsAll(error) ? Number.POSITIVE_INFINITY : now() - longestWaitMs
      const isOver = queue.findIndex(({ since }) => since > until)
      for (const { reject } of take(isOver < 0 ? queue.length : isOver)) reject(error)
    }
  }

  function take(count: number): Waiting[] {
    const taken = queue.splice(0, count)
    pool.admission.wait(-taken.length)
    return taken
  }

  return <Row extends object>(statement: Statement, values: readonly unknown[]) =>
    pool.instrumented(
      statement.name,
      () =>
        new Promise<Row[]>((resolve, reject) => {
          pool.admission.admit()
          pool.admission.wait(1)
          queue.push({
            statement,
            values,
            since: now(),
            resolve: resolve as (rows: object[]) => void,
            reject,
          })
          schedule()
        }),
    )
}
