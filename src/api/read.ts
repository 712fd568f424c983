import { type Ask, together } from '../database/batch.ts'
import type { Pool } from '../database/pools.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Answer } from '../database/statement.ts'
import type { Held } from './cache.ts'
import type { Operation, Question } from './operation.ts'
import { operations } from './operations.ts'

/**
 * Judges a token and reads what its operation asks for.
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export type Read = (operation: Operation, digest: Buffer, question: Question, held: Held) => Promise<Answer>

/**
 * One statement on the primary judges and reads; under load it does so for several requests. Where an answer is held it is likely that nothing is to be read: then the token
 * and the version are judged first, with those of other requests.
 */
export function readFromPrimary(primary: Pool): Read {
  const judge = judgeWith(primary)
  const ask = askOperations(primary)
  return async (operation, digest, question, held) => {
    if (held.answer !== undefined) {
      const judged = await judge(digest, held.answer.version)
      if (judged.status !== 200) return judged
    }
    return ask(operation, valuesOf(operation, digest, question, held))
  }
}

/**
 * The primary judges, a replica reads. The primary says the version of this moment with its judgement; an answer of the
 * replica counts only when it has that version, and so is what the primary would answer, however far the replica lags.
 * Whatever else a replica says or fails to say, the primary is asked as if there were none.
 */
export function readFromReplicas(primary: Pool, replicas: Pick<Replicas, 'ask'>): Read {
  const judge = judgeWith(primary)
  const ask = askOperations(primary)
  return async (operation, digest, question, held) => {
    const judged = await judge(digest, held.answer?.version ?? null)
    if (judged.status !== 200) return judged
    const values = valuesOf(operation, digest, question, held)
    const answer = await replicas.ask(
      operation.statement,
      values,
      ({ status, version, token_id, plan_tier }) =>
        (status === 200 || status === 404) &&
        version !== null &&
        version === judged.version &&
        token_id === judged.token_id &&
        plan_tier === judged.plan_tier,
    )
    return answer ?? ask(operation, values)
  }
}

/**
 * Judges tokens, each with the version that is known of its studio: status 200, 304, 401 or 403, and nothing of the data. One
 * statement after the other judges all who came meanwhile; two at a time would each judge fewer, for the same price.
 */
function judgeWith(primary: Pool): Ask<Answer> {
  const many = { name: 'access.judge_all', text: 'select * from access.judge_all($1, $2)' }
  return together(primary, { name: many.name, many, atOnce: 1, most: 100 })
}

/**
 * Asks the statements of the operations. A few requests share one, and one connection is left to the others: what takes long
 * holds up no more than those.
 */
function askOperations(primary: Pool): (operation: Operation, values: readonly unknown[]) => Promise<Answer> {
  const atOnce = Math.max(1, primary.options.max - 1)
  const asks = new Map<Operation, Ask<Answer>>()
  for (const operation of operations) {
    const { statement: one, together: many } = operation
    asks.set(operation, together(primary, { name: one.name, one, many, atOnce, most: 4 }))
  }
  return (operation, values) => {
    const ask = asks.get(operation)
    if (ask === undefined) throw new Error(`${operation.id} is no operation of the API`)
    return ask(...values)
  }
}

/** The values of an operation's statement: the token, the question, the version of a body that is held, where its page begins. */
export function valuesOf(operation: Operation, digest: Buffer, question: Question, held: Held): unknown[] {
  const values = [digest, ...operation.values(question)]
  if (!operation.photos) values.push(held.answer?.version ?? null)
  const { anchor } = held
  if (operation.anchored) {
    values.push(anchor?.version ?? null, anchor?.total ?? null, anchor?.at ?? null, anchor?.id ?? null)
  }
  return values
}
