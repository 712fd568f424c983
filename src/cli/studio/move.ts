import { type Command, InvalidArgumentError } from 'commander'
import { command, jsonOption } from '../command.ts'
import { CommandError } from '../failure.ts'
import { print, printDone, printJson, remark, warn } from '../output.ts'
import type { Context } from '../session.ts'
import { cellsOf, type Named, named, type Way, whereIs } from './moving-cells.ts'

type Options = {
  to?: string
  from?: string
  sourceAddress: string
  stopAtMost: number
  abort: boolean
  finish: boolean
  status: boolean
  json: boolean
}

/** `studio move`: takes a studio to another cell while it is read and written. */
export function studioMoveCommand(context: Context): Command {
  return command('move')
    .description('Move a studio to another cell of CELLS_FILE, while it is read and written.')
    .argument('[studio]', 'its name or id')
    .option('--to <cell>', 'the cell that it moves to')
    .option('--from <cell>', 'the cell that it moves from (default: the one that has it)')
    .option(
      '--source-address <keywords>',
      "where the target's server reaches the source's, in libpq's keywords, if elsewhere than this command: \"host=10.0.0.5 sslmode=require\"",
      address,
      '',
    )
    .option('--stop-at-most <seconds>', 'how long writes may be stopped until the target has caught up', seconds, 30)
    .option('--abort', 'go back to before the move, and delete the copy in the target', false)
    .option('--finish', 'delete the copy that the source keeps after the move', false)
    .option('--status', 'show the moves that the cells know, and what they have not removed yet', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
PostgreSQL's logical replication copies the studio's rows; then its writes are stopped for a few seconds, both copies are
compared, and the target takes over. Interrupted at any step, one cell has the whole studio: the same command goes on, --abort
goes back. The source keeps a copy, which the service does not read, until --finish. What both cells need: docs/scaling.md.

Examples:
  studio-inventory studio move "Northlight Studios" --to eu2
  studio-inventory studio move "Northlight Studios" --to eu2 --abort
  studio-inventory studio move "Northlight Studios" --to eu2 --finish
  studio-inventory studio move --status`,
    )
    .action(async (studio: string | undefined, options: Options) => {
      const cells = cellsOf(context)
      if (options.status) return showStatus(cells, options.json)
      if (studio === undefined) throw new CommandError('name the studio that is to move')
      if (options.to === undefined) throw new CommandError('name the cell that the studio moves to', 'Give --to.')
      if (options.abort && options.finish) throw new CommandError('--abort and --finish exclude each other')
      const to = named(cells, options.to)
      const { find, from } = await whereIs(cells, to, studio, options.from)
      if (options.abort) return abort({ from, to, id: find }, options.json)
      if (options.finish) return finish({ from, to, id: find }, options.json)
      const { moveStudio } = await import('../../apps/mover/move.ts')
      const { sourceAddress, stopAtMost } = options
      const moved = await moveStudio(from, to, find, { address: sourceAddress, stopAtMost, report: remark })
      const result = { studio_id: find, from: from.name, to: to.name, ...moved }
      if (options.json) return printJson(result)
      printDone(`Moved to ${to.name}`)
      remark(
        `${from.name} keeps a copy that the service does not read. To delete it: studio-inventory studio move ${find} --to ${to.name} --finish`,
      )
    })
}

async function abort({ from, to, id }: Way, json: boolean): Promise<void> {
  const { abortMove, abortWithoutTarget } = await import('../../apps/mover/abort.ts')
  const { isReachable } = await import('../../apps/mover/places.ts')
  if (!(await isReachable(to))) {
    await abortWithoutTarget(from, id)
    if (json) return printJson({ studio_id: id, aborted: true, target_cleared: false })
    printDone(`Aborted: ${from.name} has the studio`)
    return warn(`${to.name} cannot be reached. Run it again later, to remove what has arrived there.`)
  }
  const aborted = await abortMove(from, to, id)
  if (json) return printJson({ studio_id: id, aborted, target_cleared: aborted })
  aborted ? printDone(`Aborted: ${from.name} has the studio`) : print('There is no move to abort.')
}

async function finish({ from, to, id }: Way, json: boolean): Promise<void> {
  const { finishMove } = await import('../../apps/mover/abort.ts')
  const finished = await finishMove(from, to, id)
  if (json) return printJson({ studio_id: id, finished })
  finished ? printDone(`Deleted: the copy in ${from.name}`) : print('There is no copy to delete.')
}

async function showStatus(cells: readonly Named[], json: boolean): Promise<void> {
  const { statusOf } = await import('../../apps/mover/places.ts')
  const { printTable } = await import('../table.ts')
  const all = await Promise.all(cells.map(statusOf))
  if (json) return printJson(all)
  const rows = all.flatMap(({ cell, moves }) =>
    moves.map((move) => ({
      cell,
      studio: move.studio_id,
      direction: move.direction,
      peer: move.peer,
      state: move.state,
      since: move.changed_at,
    })),
  )
  if (rows.length === 0) print('No studio has moved.')
  else {
    printTable(rows, {
      cell: { heading: 'CELL' },
      studio: { heading: 'STUDIO' },
      direction: { heading: 'DIRECTION' },
      peer: { heading: 'OTHER CELL' },
      state: { heading: 'STATE' },
      since: { heading: 'SINCE' },
    })
  }
  for (const { cell, leftovers } of all) for (const name of leftovers) warn(`${cell} still has the ${name}`)
}

function seconds(text: string): number {
  const value = Number(text)
  if (!(value >= 1 && value <= 3600)) throw new InvalidArgumentError('Give 1 to 3600 seconds.')
  return value
}

function address(text: string): string {
  if (/(^|\s)(user|password|dbname|passfile)\s*=/.test(text)) {
    throw new InvalidArgumentError('Give host, port, sslmode and the like; login and database are known.')
  }
  return text
}
