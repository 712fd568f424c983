import type { withClient } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import type { AttemptResult } from '../prove.ts'
import type { OtherStudios, Samples } from './other-studios.ts'

/** The connection of the login that is tested. */
export type Client = Parameters<Parameters<typeof withClient>[1]>[0]

/** The login that looks for foreign rows. */
export type Viewer = {
  /** The login's name in output. */
  login: string
  otherStudios: OtherStudios
  /** The settings of each transaction. A service's login names its studio in them. */
  enter: string[]
  /** Whether the login's name determines the studio, so that settings must change nothing. */
  bound: boolean
  /** Another studio's values, to call routines with. */
  asks: Samples
  /** Whether the login sees the studio's rows, or none. */
  seesStudio: boolean
}

/** The result of a search. */
export type Verdict = Pick<AttemptResult, 'outcome' | 'answer'>

/** Every value as text, so that the search covers all types. */
const asText = { getTypeParser: () => (value: string) => value }

/** The rows of a statement as texts, with a line for each value. */
export async function textsOf(client: Client, text: string): Promise<string[]> {
  const result = await client.query<(string | null)[]>({ text, rowMode: 'array', types: asText })
  return result.rows.map((row) => row.join('\n'))
}

/** Runs work in its own transaction, and rolls back. */
export async function inRolledBackTransaction<Result>(
  client: Client,
  before: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await client.query(['begin read write', ...before].join(';'))
    return await work()
  } finally {
    await client.query('rollback')
  }
}

/** Claims another studio by every setting that a definition reads. */
export function forgery({ other, settings }: OtherStudios): string[] {
  return settings.map((setting) => `set local ${setting} = '${other}'`)
}

/** Counts texts with foreign values, and collects these values' columns. */
export class ForeignValueCounter {
  readonly #otherStudios: OtherStudios
  readonly #columns = new Set<string>()
  texts = 0

  constructor(otherStudios: OtherStudios) {
    this.#otherStudios = otherStudios
  }

  /** @param supplied values in the question itself, whose repetition proves nothing */
  look(text: string, supplied: readonly string[] = []): void {
    const found = this.#otherStudios.search(text).filter((value) => !supplied.some((word) => word.includes(value)))
    if (found.length > 0) this.texts += 1
    for (const value of found) this.#columns.add(this.#otherStudios.markers.get(value) ?? '')
  }

  /** @param thing what kind of text it is: a row or an answer */
  verdict(thing: string): Verdict | undefined {
    if (this.texts === 0) return undefined
    const columns = [...this.#columns].toSorted()
    const named =
      columns.length > 3 ? `${columns.slice(0, 3).join(', ')} and ${columns.length - 3} more` : columns.join(', ')
    return { outcome: 'succeeded', answer: `${plural(this.texts, thing)} with values of other studios: ${named}` }
  }
}

/** "1 row", "2 rows". */
export function plural(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}

/** The state of a server's error. @throws the error when the connection is gone */
export function stateOf(error: unknown): string {
  const state = sqlState(error)
  if (state === undefined || state.startsWith('57P')) throw error
  return state
}

/** The full text of an error, which may repeat a row. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { detail, hint, where } = error as { detail?: string; hint?: string; where?: string }
  return [error.message, detail, hint, where].join('\n')
}
