import { LRUCache } from 'lru-cache'
import { DatabaseUnavailable, StatementFailed } from '../../database/errors.ts'
import { messageOf } from '../../domain/error.ts'
import type { Logger } from '../../observability/log.ts'
import type { Person, SignIn, Store } from './store.ts'

export type StoreOfCell = { name: string | undefined; store: Store }

/** Something was done in the cells that could be used, and not in the others. */
export class PartlyUnavailable extends DatabaseUnavailable {
  override name = 'PartlyUnavailable'
}

/** How many studios are remembered with their cells. */
const rememberedStudios = 10_000

type Outcome<Result> = { cell: StoreOfCell } & ({ result: Result } | { error: unknown })

/**
 * The console's queries over several cells. Users are each cell's own: who signs in has a session in every cell that knows their e-mail, all
 * with the same secret, and each cell decides what that person may see and do there. What is about a studio is done in its cell, which the
 * list of the person's studios says.
 *
 * @returns the store of one cell as it is
 */
export function createStoreOfCells(cells: readonly [StoreOfCell, ...StoreOfCell[]], log: Logger): Store {
  if (cells.length === 1) return cells[0].store
  const homes = new LRUCache<string, Store>({ max: rememberedStudios })

  function inEach<Result>(work: (store: Store) => Promise<Result>): Promise<Outcome<Result>[]> {
    return Promise.all(
      cells.map(async (cell) => {
        try {
          return { cell, result: await work(cell.store) }
        } catch (error) {
          return { cell, error }
        }
      }),
    )
  }

  async function person(session: Buffer): Promise<Person | null> {
    const outcomes = await inEach((store) => store.person(session))
    const failed = outcomes.find((outcome) => 'error' in outcome)
    const known = outcomes.flatMap((outcome) =>
      'result' in outcome && outcome.result !== null ? [{ cell: outcome.cell, person: outcome.result }] : [],
    )
    const [first] = known
    // The session may be one of a cell that cannot be asked.
    if (first === undefined && failed !== undefined) throw failed.error
    if (first === undefined) return null
    if (failed !== undefined) log.warn({ cell: failed.cell.name, reason: messageOf(failed.error) }, awayMessage)
    const studios = new Map<string, Person['studios'][number]>()
    for (const { cell, person } of known) {
      for (const studio of person.studios) {
        if (studios.has(studio.id)) continue
        studios.set(studio.id, { ...studio, ...(cell.name !== undefined && { cell: cell.name }) })
        homes.set(studio.id, cell.store)
      }
    }
    return {
      ...first.person,
      studios: [...studios.values()].sort(byName),
      ...(failed !== undefined && { incomplete: true as const }),
    }
  }

  async function signIn(given: SignIn): Promise<void> {
    const outcomes = await inEach((store) => store.signIn(given))
    const failures = outcomes.filter((outcome) => 'error' in outcome)
    const replayed = failures.find(({ error }) => isState(error, 'SI409'))
    if (replayed !== undefined) {
      // Where the first sign-in had not come, this one has: it must not be of use.
      await inEach((store) => store.signOut(given.session))
      throw replayed.error
    }
    const away = failures.find(({ error }) => !isState(error, 'SI404'))
    if (failures.length === outcomes.length) throw (away ?? failures[0])?.error
    if (away !== undefined) log.warn({ cell: away.cell.name, reason: messageOf(away.error) }, awayMessage)
  }

  async function signOut(session: Buffer): Promise<void> {
    const outcomes = await inEach((store) => store.signOut(session))
    const failures = outcomes.filter((outcome) => 'error' in outcome)
    const [first] = failures
    if (first === undefined) return
    if (failures.length === outcomes.length) throw first.error
    throw new PartlyUnavailable(`the session could not be ended in cell ${first.cell.name}: ${messageOf(first.error)}`)
  }

  async function useOnce(used: Buffer, expires: Date): Promise<boolean> {
    const outcomes = await inEach((store) => store.useOnce(used, expires))
    const answers = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
    const failed = outcomes.find((outcome) => 'error' in outcome)
    if (answers.length === 0 && failed !== undefined) throw failed.error
    return answers.every(Boolean)
  }

  /** The store of the studio's cell. @throws StatementFailed SI404 when the session's person has no such studio */
  async function storeOf(session: Buffer, studioId: string): Promise<Store> {
    if (!homes.has(studioId)) await person(session)
    const home = homes.get(studioId)
    if (home === undefined) throw new StatementFailed('console', 'SI404', 'there is no such studio')
    return home
  }

  /** The same query, in the cell of the studio that it names. */
  function atHome<Rest extends unknown[], Result>(
    query: (store: Store) => (session: Buffer, studioId: string, ...rest: Rest) => Promise<Result>,
  ) {
    return async (session: Buffer, studioId: string, ...rest: Rest): Promise<Result> =>
      query(await storeOf(session, studioId))(session, studioId, ...rest)
  }

  return {
    person,
    signIn,
    signOut,
    useOnce,
    plan: atHome((store) => store.plan),
    tokens: atHome((store) => store.tokens),
    members: atHome((store) => store.members),
    admitMember: atHome((store) => store.admitMember),
    changeRole: atHome((store) => store.changeRole),
    dismissMember: atHome((store) => store.dismissMember),
    activity: atHome((store) => store.activity),
    auditLog: atHome((store) => store.auditLog),
    issueToken: atHome((store) => store.issueToken),
    keepUpload: atHome((store) => store.keepUpload),
    upload: atHome((store) => store.upload),
    revokeToken: atHome((store) => store.revokeToken),
  }
}

const awayMessage = 'the console works without a cell that cannot be used'

const isState = (error: unknown, state: string) => error instanceof StatementFailed && error.sqlState === state

function byName(one: { name: string }, other: { name: string }): number {
  return one.name.localeCompare(other.name, 'en')
}
