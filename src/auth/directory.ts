import { LRUCache } from 'lru-cache'
import { DatabaseUnavailable, Overloaded } from '../database/errors.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { type Accepted, rightOf, type Versions } from './accepted.ts'
import { maxKeys } from './counters.ts'

/** Every cell that could be asked refuses, and one could not be: it may be the one. Answered as 503. */
export class PartlyRefused extends DatabaseUnavailable {
  override name = 'PartlyRefused'
}

/** For how long the other cells are not asked again about somebody whose own cell is down, in milliseconds. */
const refusedForMs = 10_000

/**
 * Finds the cell that knows somebody: who has a token, or the identity of an analyst. It remembers where that was last, as a hint and
 * never as an authority: the cell itself authenticates with every request, and a hint that is wrong costs one more question.
 */
export type Directory<Cell> = {
  readonly cells: readonly [Cell, ...Cell[]]
  /** Where it was accepted last; undefined: nobody knows. */
  hint(key: string): Cell | undefined
  /**
   * The answer of the cell that accepts it: the hinted one is asked alone, and the others when it refuses or cannot be used; without a
   * hint all are asked at once.
   *
   * @param key of whoever asks: the digest of a token as text
   * @param ask asks one cell, which authenticates by itself
   * @param isAccepted whether an answer is that of a cell which knows it; what another answers is the same for all
   * @param versions what tells whether several cells that accept have the same data
   * @returns a refusal only when every cell refuses
   * @throws what a cell threw, when no other accepts: it may be the one. DatabaseUnavailable when several cells accept with
   *   different data, as only an operator can say which of them has the studio
   */
  ask<Answer>(
    key: string,
    ask: (cell: Cell) => Promise<Answer>,
    isAccepted: (answer: Answer) => boolean,
    versions: Versions<Cell, Answer>,
  ): Promise<Answer>
}

export type DirectoryOptions = {
  log: Logger
  /** Whether an error means that the cell cannot be used at all, so that others may be asked in its place. */
  isDown?: (error: unknown) => boolean
}

/** Of one cell there is nothing to find, to remember or to wait for. */
export function createDirectory<Cell extends { name: string | undefined }>(
  cells: readonly [Cell, ...Cell[]],
  { log, isDown = cannotBeUsed }: DirectoryOptions,
): Directory<Cell> {
  const [only] = cells
  if (cells.length === 1) return { cells, hint: () => only, ask: (_key, ask) => ask(only) }

  const hints = new LRUCache<string, Cell>({ max: maxKeys })
  /** Whom all others have refused lately while their own cell was down: what that cell cannot serve must not become load on others. */
  const refused = new LRUCache<string, true>({ max: maxKeys, ttl: refusedForMs })
  /** Cells that could not be used when they were last asked. */
  const down = new Set<Cell>()
  type Outcome<Answer> = Accepted<Cell, Answer> | { cell: Cell; error: unknown }

  async function outcomeOf<Answer>(cell: Cell, ask: (cell: Cell) => Promise<Answer>): Promise<Outcome<Answer>> {
    try {
      const answer = await ask(cell)
      down.delete(cell)
      return { cell, answer }
    } catch (error) {
      if (isDown(error)) down.add(cell)
      return { cell, error }
    }
  }

  /** Asks cells at once. When one accepts, those that could not be used lately are not waited for. */
  async function askAll<Answer>(
    asked: readonly Cell[],
    ask: (cell: Cell) => Promise<Answer>,
    isAccepted: (answer: Answer) => boolean,
  ): Promise<Outcome<Answer>[]> {
    const waiting = asked.map((cell) => ({ wasDown: down.has(cell), outcome: outcomeOf(cell, ask) }))
    const first = await Promise.all(waiting.filter(({ wasDown }) => !wasDown).map(({ outcome }) => outcome))
    if (first.some((outcome) => 'answer' in outcome && isAccepted(outcome.answer))) return first
    return Promise.all(waiting.map(({ outcome }) => outcome))
  }

  return {
    cells,
    hint: (key) => hints.get(key),
    async ask(key, ask, isAccepted, versions) {
      const hinted = hints.get(key)
      const before = hinted === undefined ? [] : [await outcomeOf(hinted, ask)]
      for (const outcome of before) {
        if ('answer' in outcome ? isAccepted(outcome.answer) : !isDown(outcome.error)) return answerOf(outcome)
        if ('error' in outcome && refused.has(key)) throw partly(outcome)
      }
      const others = cells.filter((cell) => cell !== hinted)
      const outcomes = [...before, ...(await askAll(others, ask, isAccepted))]
      const accepted = outcomes.filter((outcome) => 'answer' in outcome).filter(({ answer }) => isAccepted(answer))
      if (accepted.length > 0) {
        const found = await rightOf(accepted, versions)
        if (found === undefined) throw ambiguous(accepted.map(({ cell }) => cell.name))
        hints.set(key, found.cell)
        return found.answer
      }
      const failed = outcomes.filter((outcome) => 'error' in outcome)
      const worst = failed.find(({ error }) => isDown(error)) ?? failed[0]
      if (worst !== undefined) {
        if (failed.length === outcomes.length || !isDown(worst.error)) throw worst.error
        if (hinted !== undefined) refused.set(key, true)
        throw partly(worst)
      }
      hints.delete(key)
      return answerOf(outcomes[0])
    },
  }

  function ambiguous(names: (string | undefined)[]): DatabaseUnavailable {
    log.error(
      { cells: names },
      'several cells accept the same token: remove its studio from all but one, unless it is moving (studio move --status)',
    )
    return new DatabaseUnavailable(`several cells accept the same token: ${names.join(', ')}`)
  }

  function answerOf<Answer>(outcome: Outcome<Answer> | undefined): Answer {
    if (outcome === undefined) throw new Error('there are no cells')
    if ('error' in outcome) throw outcome.error
    return outcome.answer
  }
}

function partly({ cell, error }: { cell: { name: string | undefined }; error: unknown }): PartlyRefused {
  return new PartlyRefused(`cell ${cell.name} could not be asked: ${messageOf(error)}`, { cause: error })
}

/** An overloaded cell is there: to ask others for it would only pass the load on. */
function cannotBeUsed(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !(error instanceof Overloaded)
}
