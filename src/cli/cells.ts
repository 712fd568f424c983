import type { Cell, Config } from '../config/config.ts'
import { sqlState } from '../database/errors.ts'
import { asOwner } from '../database/session.ts'
import { isUuid } from '../domain/uuid.ts'
import { CommandError, explainFailure } from './failure.ts'
import { complain } from './output.ts'
import { type Context, cellsOf, inCell, type Session, withDatabase } from './session.ts'
import { unknown } from './unknown.ts'

/**
 * Runs work in one cell after the other, in all or in that of --cell. A failure in one of several is printed with its name and makes the exit status 1;
 * the others have their turn all the same.
 *
 * @param open how a cell is opened
 * @returns what the work returned, of the cells where it did
 */
export async function inEachCell<Result>(
  context: Context,
  work: (session: Session) => Promise<Result>,
  open: typeof inCell = inCell,
): Promise<{ cell: string | undefined; result: Result }[]> {
  const config = context.config()
  const cells = cellsOf(config, context.cell?.())
  if (cells.length === 1) return [{ cell: undefined, result: await open(config, cells[0], work) }]
  const done: { cell: string | undefined; result: Result }[] = []
  for (const cell of cells) {
    try {
      done.push({ cell: cell.name, result: await open(config, cell, work) })
    } catch (error) {
      complain(explainFailure(error).map((line, index) => (index === 0 ? inCellText(line, cell) : line)))
      process.exitCode = 1
    }
  }
  return done
}

/** The first line of a failure, with the name of the cell, which some have already. */
function inCellText(line: string, { name }: Cell): string {
  return line.includes(`cell ${name}: `)
    ? line
    : line.replace(/^studio-inventory: /, `studio-inventory: cell ${name}: `)
}

/** As `withDatabase`, in the cell that has the studio with this name or id. */
export function withStudio(context: Context, studio: string, work: (session: Session) => Promise<void>): Promise<void> {
  return withWhat(context, work, {
    text: 'select access.find_studio($1)',
    value: studio,
    called: 'studio',
    isUnique: isUuid(studio),
    names: 'select name from app.studios',
    all: 'studio-inventory studio list',
  })
}

/** As `withDatabase`, in the cell that has the analyst's login. */
export function withLogin(context: Context, login: string, work: (session: Session) => Promise<void>): Promise<void> {
  return withWhat(context, work, {
    text: 'select access.known_analyst($1)',
    value: login,
    called: 'login',
    isUnique: true,
    names: `select login::text as name from access.list_analysts(null) where state <> 'dropped'`,
    all: 'studio-inventory analyst list',
  })
}

type What = {
  /** Raises SI404 where there is none. */
  text: string
  value: string
  called: string
  /** Whether no two things have it. */
  isUnique: boolean
  /** What there is instead: a select of all names, and the command that shows them. */
  names: string
  all: string
}

async function withWhat(context: Context, work: (session: Session) => Promise<void>, what: What): Promise<void> {
  const config = context.config()
  const cells = cellsOf(config, context.cell?.())
  // With one database nothing has to be looked for.
  if (cells.length === 1) return withDatabase(context, work)
  await inCell(config, await cellWith(config, cells, what), work)
}

/** @throws CommandError when none has it, several have, or one that may have it cannot be asked */
async function cellWith(config: Config, cells: readonly Cell[], what: What): Promise<Cell> {
  const answers = await Promise.all(
    cells.map(async (cell) => {
      try {
        return { cell, has: await inCell(config, cell, (session) => has(session, what)) }
      } catch (failure) {
        return { cell, has: false, failure }
      }
    }),
  )
  const found = answers.filter(({ has }) => has)
  const failed = answers.find(({ failure }) => failure !== undefined)
  const [first, second] = found
  if (second !== undefined) {
    throw new CommandError(
      `several cells have a ${what.called} '${what.value}': ${found.map(({ cell }) => cell.name).join(', ')}`,
      'Give its id, or say which cell with --cell.',
    )
  }
  // Another of the same name may be where nobody can look.
  if (failed !== undefined && (first === undefined || !what.isUnique)) throw failed.failure
  if (first !== undefined) return first.cell
  const names = await Promise.all(
    cells.map((cell) =>
      inCell(config, cell, ({ database }) => asOwner(database.adminUrl, (t) => t.query<{ name: string }>(what.names))),
    ),
  )
  throw unknown(`no cell has a ${what.called} '${what.value}'`, what.value, names.flat(), what.all)
}

/** Whether it is there: one of several with the name is, too. */
async function has({ database }: Session, { text, value }: What): Promise<boolean> {
  try {
    await asOwner(database.adminUrl, (transaction) => transaction.query(text, [value]))
    return true
  } catch (error) {
    if (sqlState(error) === 'SI409') return true
    if (sqlState(error) === 'SI404') return false
    throw error
  }
}
