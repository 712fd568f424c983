import type { Pool } from '../database/pools.ts'
import type { Replicas } from '../database/replicas.ts'
import { type Answer, runStatement } from '../database/statement.ts'
import type { Held } from './cache.ts'
import { createJudge } from './judge.ts'
import type { Operation, Question } from './operation.ts'

/**
 * Judges a token and reads what its operation asks for.
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export type Read = (operation: Operation, digest: Buffer, question: Question, held: Held) => Promise<Answer>

/**
 * One statement on the primary judges and reads. Where an answer is held it is likely that nothing is to be read: then the token
 * and the version are judged first, with those of other requests.
 */
export function readFromPrimary(primary: Pool): Read {
  const judge = createJudge(primary)
  return async (operation, digest, question, held) => {
    if (held.answer !== undefined) {
      const judged = await judge(digest, held.answer.version)
      if (judged.status !== 200) return judged
    }
    return runStatement(primary, operation.statement, valuesOf(operation, digest, question, held))
  }
}

/**
 * The primary judges, a replica reads. The primary says the version of this moment with its judgement; an answer of the
 * replica counts only when it has that version, and so is what the primary would answer, however far the replica lags.
 * Whatever else a replica says or fails to say, the primary is asked as if there were none.
 */
export function readFromReplicas(primary: Pool, replicas: Pick<Replicas, 'ask'>): Read {
  const judge = createJudge(primary)
  return async (operation, digest, question, held) => {
    const judged = await judge(digest, held.answer?.version ?? null)
    if (judged.status !== 200) return judged
    const answer = await replicas.ask(
      operation.statement,
      valuesOf(operation, digest, question, held),
      ({ status, version, token_id, plan_tier }) =>
        (status === 200 || status === 404) &&
        version !== null &&
        version === judged.version &&
        token_id === judged.token_id &&
        plan_tier === judged.plan_tier,
    )
    return answer ?? runStatement(primary, operation.statement, valuesOf(operation, digest, question, held))
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
