import { claimRoom, type Pool, waitOutside } from '../database/pools.ts'
import { type Answer, queryUnwatched } from '../database/statement.ts'
import { watched } from '../database/watch.ts'

/** What the database says of a token, and of a version that is known: status 200, 304, 401 or 403, and nothing of the data. */
export type Judge = (digest: Buffer, version: string | null) => Promise<Answer>

const statement = { name: 'access.judge_all', text: 'select * from access.judge_all($1, $2)' }

/** How many requests a statement judges. */
const mostTogether = 100

type Asked = {
  digest: Buffer
  version: string | null
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Judges the tokens of many requests in one statement after the other: the next judges all who came meanwhile. Each is judged by
 * a statement that began after it was asked, so what was committed before is in it. Who watches statements sees one for each
 * request, from its asking to its answer.
 *
 * The returned function throws DatabaseUnavailable (Overloaded, when too many wait) or StatementFailed: of its own statement, or
 * of the one before it, at once.
 */
export function createJudge(pool: Pool): Judge {
  const waiting: Asked[] = []
  let busy = false

  /** Begins when everybody has spoken who is heard in this turn of the event loop. */
  function begin(): void {
    if (busy || waiting.length === 0) return
    busy = true
    setImmediate(run)
  }

  async function run(): Promise<void> {
    const asked = take(mostTogether)
    try {
      const values = [asked.map(({ digest }) => digest), asked.map(({ version }) => version)]
      const answers = await queryUnwatched<Answer>(pool, statement, values)
      if (answers.length !== asked.length) throw new Error(`${asked.length} were to be judged, ${answers.length} were`)
      for (const [index, answer] of answers.entries()) asked[index]?.resolve(answer)
    } catch (error) {
      // They would wait for the same, one statement after the other.
      for (const { reject } of [...asked, ...take(waiting.length)]) reject(error)
    } finally {
      busy = false
      begin()
    }
  }

  function take(most: number): Asked[] {
    const taken = waiting.splice(0, most)
    waitOutside(pool, -taken.length)
    return taken
  }

  return (digest, version) =>
    watched(
      pool,
      statement.name,
      () =>
        new Promise((resolve, reject) => {
          claimRoom(pool)
          waitOutside(pool, 1)
          waiting.push({ digest, version, resolve, reject })
          begin()
        }),
    )
}
