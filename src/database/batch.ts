import { concernsAll } from './errors.ts'
import type { Pool } from './pool.ts'

export type BatchOptions<Row, Values extends readonly unknown[]> = {
  /** The name by which the statement of a request is instrumented. */
  name: string
  /** Sends one statement for the values of several requests, and returns a row for each of them, in their order. */
  ask(requests: readonly Values[]): Promise<readonly Row[]>
  /** Requests of the same key have the same values, and share a row of the answer. */
  keyOf(...values: Values): string
  /** How many different requests share a statement. */
  maxSize: number
  /** Milliseconds since some moment. */
  now?: () => number
}

/** A failure that took longer than this, in milliseconds, would probably take as long again for others. */
const quickFailureMs = 100

/** How many statements send the requests of a failed one again at a time: they must not take the pool. */
const lanes = 2

type Failure = { error: unknown; tookLong: boolean }

/** Requests with the same values: one row answers them all. */
type Group<Values, Row> = { values: Values; waiting: { resolve(row: Row): void; reject(error: unknown): void }[] }

/**
 * Batches requests: each statement costs a round trip to PostgreSQL, which is more expensive than most look-ups. Requests of one turn
 * of the event loop are sent at its end; while a statement is under way they wait for the next one, which takes up to `maxSize` of
 * them. So no request is answered by a statement that began before it arrived.
 *
 * When a statement fails that several share, each of its values is sent again, alone, two at a time: none fails because of another. It ends when one of
 * them takes long to fail as well: so does the rest then, and if none was answered those waiting, which would wait for the same thing.
 * Silence, and a pool without a free connection, are everybody's at once. The instrumentation sees one statement for each request, from its arrival to its answer.
 *
 * The returned function takes the values of one request and returns the row that answers them, which others may have been given too;
 * it throws DatabaseUnavailable (Overloaded, when too many wait) or StatementFailed.
 */
export function createBatch<Row extends object, Values extends readonly unknown[]>(
  pool: Pool,
  { name, ask, keyOf, maxSize, now = () => performance.now() }: BatchOptions<Row, Values>,
): (...values: Values) => Promise<Readonly<Row>> {
  /** A new Map for each batch: one that is added to and deleted from all the time keeps what was in it alive (`OpenResponses`). */
  let groups = new Map<string, Group<Values, Row>>()
  let isBusy = false

  /** Sends what has arrived by the end of this turn of the event loop. */
  function schedule(): void {
    if (isBusy || groups.size === 0) return
    isBusy = true
    setImmediate(send)
  }

  function send(): void {
    const batch = take(maxSize)
    void answer(batch)
  }

  /** Lets the next statement begin. */
  function goOn(): void {
    isBusy = groups.size > 0
    if (isBusy) send()
  }

  async function answer(batch: Group<Values, Row>[]): Promise<void> {
    const failure = await attempt(batch, goOn)
    if (failure === undefined) return
    await recover(batch, failure)
    goOn()
  }

  async function recover(batch: Group<Values, Row>[], failure: Failure): Promise<void> {
    if (failure.tookLong && concernsAll(failure.error)) return fail([...batch, ...take(groups.size)], failure.error)
    const requests = batch.reduce((sum, { waiting }) => sum + waiting.length, 0)
    if (requests === 1) return fail(batch, failure.error)
    await answerAlone(batch)
  }

  /**
   * Resolves what the statement answers; returns how it failed otherwise.
   *
   * @param answered is called before the answers are handed on: PostgreSQL works on the next statement while they are sent
   */
  async function attempt(
    batch: Group<Values, Row>[],
    answered: () => void = () => undefined,
  ): Promise<Failure | undefined> {
    const began = now()
    try {
      const rows = await ask(batch.map(({ values }) => values))
      if (rows.length !== batch.length) throw new Error(`${name}: ${batch.length} requests, ${rows.length} answers`)
      answered()
      for (const [index, row] of rows.entries()) {
        for (const { resolve } of batch[index]?.waiting ?? []) resolve(row)
      }
      return undefined
    } catch (error) {
      return { error, tookLong: now() - began > quickFailureMs }
    }
  }

  async function answerAlone(batch: Group<Values, Row>[]): Promise<void> {
    const left = batch.values()
    const seen: { stuck?: Failure; answered: boolean } = { answered: false }
    const lane = async () => {
      for (const group of left) {
        const failure = seen.stuck ?? (await attempt([group]))
        if (failure === undefined) {
          seen.answered = true
          continue
        }
        if (failure.tookLong) seen.stuck = failure
        fail([group], failure.error)
      }
    }
    await Promise.all(Array.from({ length: Math.min(lanes, pool.maxConcurrency) }, lane))
    if (seen.stuck !== undefined && !seen.answered) fail(take(groups.size), seen.stuck.error)
  }

  function fail(failed: Group<Values, Row>[], error: unknown): void {
    for (const { reject } of failed.flatMap(({ waiting }) => waiting)) reject(error)
  }

  function take(count: number): Group<Values, Row>[] {
    const all = [...groups]
    groups = new Map(all.slice(count))
    const taken = all.slice(0, count).map(([, group]) => group)
    for (const { waiting } of taken) pool.admission.wait(-waiting.length)
    return taken
  }

  return (...values) =>
    pool.instrumented(
      name,
      () =>
        new Promise((resolve, reject) => {
          pool.admission.admit()
          pool.admission.wait(1)
          const key = keyOf(...values)
          const group = groups.get(key)
          if (group === undefined) groups.set(key, { values, waiting: [{ resolve, reject }] })
          else group.waiting.push({ resolve, reject })
          schedule()
        }),
    )
}
