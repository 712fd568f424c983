import type { Pool } from './pool.ts'
import type { Statement } from './statement.ts'

/** Sends the values of one request and returns the one row that answers them. */
export type Send<Row> = (...values: readonly unknown[]) => Promise<Row>

export type BatchOptions = {
  /** The name of each request, for the instrumentation of the pool. */
  name: string
  /** Takes the values of one request; without it `many` is used for a single request, too. */
  one?: Statement
  /** Takes an array of each value, and returns a row for each of their elements, in their order. */
  many: Statement
  /** How many of its statements run concurrently. */
  concurrency: number
  /** How many requests share a statement. */
  maxSize: number
}

/** After a failure that took longer than this, in milliseconds, retrying would probably take as long again. */
const quickFailureMs = 100

type Request<Row> = {
  values: readonly unknown[]
  resolve(row: Row): void
  reject(error: unknown): void
}

/**
 * Batches requests: each statement costs a round trip to PostgreSQL, which is more expensive than most reads. While fewer than
 * `concurrency` statements are running, the requests of one turn of the event loop are sent at its end; otherwise requests wait
 * for the next statement, which takes up to `maxSize` of them. So no request is answered by a statement that began before it arrived.
 *
 * When a statement fails at once, each of its requests is sent alone. When it took long, all of them fail with it, and so do
 * those waiting, which would wait for the same thing. The instrumentation sees one statement for each request, from its arrival to its answer.
 *
 * The returned function throws DatabaseUnavailable (Overloaded, when too many wait) or StatementFailed.
 */
export function createBatch<Row extends object>(pool: Pool, options: BatchOptions): Send<Row> {
  const { name, one, many, concurrency, maxSize } = options
  const waiting: Request<Row>[] = []
  let underWay = 0
  let scheduled = false

  /** Sends what has arrived by the end of this turn of the event loop. */
  function schedule(): void {
    if (scheduled || underWay >= concurrency || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      while (underWay < concurrency && waiting.length > 0) {
        void run(take(Math.min(maxSize, Math.ceil(waiting.length / (concurrency - underWay)))))
      }
    })
  }

  async function run(batch: Request<Row>[]): Promise<void> {
    underWay += 1
    await answer(batch)
    underWay -= 1
    schedule()
  }

  async function answer(batch: Request<Row>[]): Promise<void> {
    const began = performance.now()
    try {
      const rows = await rowsFor(batch)
      if (rows.length !== batch.length) throw new Error(`${name}: ${batch.length} requests, ${rows.length} answers`)
      for (const [index, row] of rows.entries()) batch[index]?.resolve(row)
    } catch (error) {
      const tookLong = performance.now() - began > quickFailureMs
      if (batch.length > 1 && !tookLong) {
        await Promise.all(batch.map((request) => answer([request])))
        return
      }
      for (const { reject } of tookLong ? [...batch, ...take(waiting.length)] : batch) reject(error)
    }
  }

  function rowsFor(batch: Request<Row>[]): Promise<Row[]> {
    const [first] = batch
    if (one !== undefined && first !== undefined && batch.length === 1) {
      return pool.queryUninstrumented<Row>(one, first.values)
    }
    const columns = first?.values.map((_, index) => batch.map(({ values }) => values[index])) ?? []
    return pool.queryUninstrumented<Row>(many, columns)
  }

  function take(count: number): Request<Row>[] {
    const taken = waiting.splice(0, count)
    pool.admission.wait(-taken.length)
    return taken
  }

  return (...values) =>
    pool.instrumented(
      name,
      () =>
        new Promise((resolve, reject) => {
          pool.admission.admit()
          pool.admission.wait(1)
          waiting.push({ values, resolve, reject })
          schedule()
        }),
    )
}
