import { watched } from './instrumentation.ts'
import { claimRoom, type Pool, waitOutside } from './pools.ts'
import { queryUnwatched, type Statement } from './statement.ts'

/** Asks a statement with its values and returns its one row. */
export type Ask<Row> = (...values: readonly unknown[]) => Promise<Row>

export type Shared = {
  /** What is asked, as whoever watches statements knows it. */
  name: string
  /** Takes the values of one; without it `many` is sent for one, too. */
  one?: Statement
  /** Takes an array of each value, and returns a row for each of their elements, in their order. */
  many: Statement
  /** How many of its statements are under way at once. */
  atOnce: number
  /** How many share a statement. */
  most: number
}

/** A failure that took longer than this, in milliseconds, is of a kind that takes long again. */
const soonMs = 100

type Asked<Row> = {
  values: readonly unknown[]
  resolve(row: Row): void
  reject(error: unknown): void
}

/**
 * Lets requests share a statement of PostgreSQL: each costs a round trip, which is dearer than most of what is asked. As long as
 * fewer than `atOnce` are under way, who comes in one turn of the event loop is asked at its end; otherwise who comes waits for
 * the next, which asks for all who have come, up to `most`. So nobody is answered by a statement that began before they came.
 *
 * When a statement fails at once, each who shared it is asked alone. When it took long, all of them fail with it, and those who
 * wait: they would wait for the same. Who watches statements sees one for each request, from its asking to its answer.
 *
 * The returned function throws DatabaseUnavailable (Overloaded, when too many wait) or StatementFailed.
 */
export function together<Row extends object>(pool: Pool, { name, one, many, atOnce, most }: Shared): Ask<Row> {
  const waiting: Asked<Row>[] = []
  let underWay = 0
  let begins = false

  /** Begins when everybody has spoken who is heard in this turn of the event loop. */
  function begin(): void {
    if (begins || underWay >= atOnce || waiting.length === 0) return
    begins = true
    setImmediate(() => {
      begins = false
      while (underWay < atOnce && waiting.length > 0) {
        void run(take(Math.min(most, Math.ceil(waiting.length / (atOnce - underWay)))))
      }
    })
  }

  async function run(asked: Asked<Row>[]): Promise<void> {
    underWay += 1
    await answer(asked)
    underWay -= 1
    begin()
  }

  async function answer(asked: Asked<Row>[]): Promise<void> {
    const began = performance.now()
    try {
      const rows = await rowsFor(asked)
      if (rows.length !== asked.length) throw new Error(`${name}: ${asked.length} asked, ${rows.length} were answered`)
      for (const [index, row] of rows.entries()) asked[index]?.resolve(row)
    } catch (error) {
      const tookLong = performance.now() - began > soonMs
      if (asked.length > 1 && !tookLong) {
        await Promise.all(asked.map((each) => answer([each])))
        return
      }
      for (const { reject } of tookLong ? [...asked, ...take(waiting.length)] : asked) reject(error)
    }
  }

  function rowsFor(asked: Asked<Row>[]): Promise<Row[]> {
    const [first] = asked
    if (one !== undefined && first !== undefined && asked.length === 1) {
      return queryUnwatched<Row>(pool, one, first.values)
    }
    const columns = first?.values.map((_, index) => asked.map(({ values }) => values[index])) ?? []
    return queryUnwatched<Row>(pool, many, columns)
  }

  function take(count: number): Asked<Row>[] {
    const taken = waiting.splice(0, count)
    waitOutside(pool, -taken.length)
    return taken
  }

  return (...values) =>
    watched(
      pool,
      name,
      () =>
        new Promise((resolve, reject) => {
          claimRoom(pool)
          waitOutside(pool, 1)
          waiting.push({ values, resolve, reject })
          begin()
        }),
    )
}
