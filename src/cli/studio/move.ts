import { type Command, InvalidArgumentError } from 'commander'
import { command, jsonOption } from '../command.ts'
import { CommandError } from '../failure.ts'
import { print, printDone, printJson, remark, warn } from '../output.ts'
import type { Context } from '../session.ts'
import { showStatus } from './move-status.ts'
import { cellsOf, landedIn, type NamedCell, named, type Route, whereIs } from './moving-cells.ts'

type Options = {
  to?: string
  from?: string
  sourceAddress: string
  stopAtMost: number
  abort: boolean
  targetLost: boolean
  sourceLost: boolean
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
    .option(
      '--target-lost',
      'with --abort: the target never comes back as it was; what was written there is given up',
      false,
    )
    .option(
      '--source-lost',
      'the source never comes back as it was: make the studio that has landed writable in the target',
      false,
    )
    .option('--finish', 'delete the copy that the source keeps after the move', false)
    .option('--status', 'show the moves that the cells know, and what they have not removed yet', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
PostgreSQL's logical replication copies the studio's rows; then its writes are stopped for a few seconds, both copies are
compared, and the target takes over. Interrupted at any step, one cell has the whole studio: the same command goes on, --abort
goes back. The source keeps a copy, which the service does not read, until --finish. What both cells need: docs/scaling.md.

--target-lost and --source-lost are for a cell that is lost for good, or was restored from a backup. They give up what only that
cell has. While it can be reached and has its part of the move, they are refused.

Examples:
  studio-inventory studio move "Northlight Studios" --to eu2
  studio-inventory studio move "Northlight Studios" --to eu2 --abort
  studio-inventory studio move "Northlight Studios" --to eu2 --abort --target-lost
  studio-inventory studio move "Northlight Studios" --to eu2 --source-lost
  studio-inventory studio move "Northlight Studios" --to eu2 --finish
  studio-inventory studio move --status`,
    )
    .action(async (studio: string | undefined, options: Options) => {
      // A lost cell may be in CELLS_FILE no more.
      const cells = cellsOf(context, options.sourceLost ? 1 : 2)
      if (options.status) return showStatus(cells, options.json)
      if (studio === undefined) throw new CommandError('name the studio that is to move')
      if (options.to === undefined) throw new CommandError('name the cell that the studio moves to', 'Give --to.')
      if (options.abort && options.finish) throw new CommandError('--abort and --finish exclude each other')
      if (options.targetLost && !options.abort) {
        throw new CommandError('--target-lost goes with --abort', 'For a lost source: --source-lost, without --abort.')
      }
      if (options.sourceLost && (options.abort || options.finish)) {
        throw new CommandError('--source-lost excludes --abort and --finish')
      }
      const to = named(cells, options.to)
      if (options.sourceLost) return takeOver(cells, to, await landedIn(to, studio), options.json)
      const { find, from } = await whereIs(cells, to, studio, options.from)
      if (options.abort) return abort({ from, to, id: find }, options)
      if (options.finish) return finish({ from, to, id: find }, cells, options.json)
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

async function abort({ from, to, id }: Route, { targetLost, json }: Options): Promise<void> {
  const { abortMove } = await import('../../apps/mover/abort.ts')
  const { abortWithoutTarget } = await import('../../apps/mover/lost.ts')
  const { isReachable } = await import('../../apps/mover/locate.ts')
  if (targetLost || !(await isReachable(to))) {
    await abortWithoutTarget(from, to, id, targetLost)
    if (json) return printJson({ studio_id: id, aborted: true, target_cleared: false })
    printDone(`Aborted: ${from.name} has the studio`)
    return warn(
      targetLost
        ? `What ${to.name} had of the studio is given up. If it comes back, run --abort without --target-lost before it answers anybody.`
        : `${to.name} cannot be reached. Run it again later, to remove what has arrived there.`,
    )
  }
  const aborted = await abortMove(from, to, id)
  if (json) return printJson({ studio_id: id, aborted, target_cleared: aborted })
  aborted ? printDone(`Aborted: ${from.name} has the studio`) : print('There is no move to abort.')
}

/** The source is lost: the target's copy is the studio from now on. */
async function takeOver(cells: readonly NamedCell[], to: NamedCell, id: string, json: boolean): Promise<void> {
  const { activateWithoutSource } = await import('../../apps/mover/lost.ts')
  const source = await activateWithoutSource(cells, to, id)
  if (json) return printJson({ studio_id: id, from: source, to: to.name, activated: source !== null })
  if (source === null) return print(`${to.name} has the studio: there is nothing to take over.`)
  printDone(`${to.name} has the studio, and it can be written there`)
  warn(
    `Given up: the use of tokens that ${source} recorded. If ${source} comes back with the studio, run this before it answers anybody: studio-inventory studio move ${id} --to ${to.name} --from ${source}. It says what to remove.`,
  )
}

async function finish({ from, to, id }: Route, cells: readonly NamedCell[], json: boolean): Promise<void> {
  const { finishMove } = await import('../../apps/mover/abort.ts')
  const others = cells.filter((cell) => cell !== from && cell !== to)
  const finished = await finishMove(from, to, id, others)
  if (json) return printJson({ studio_id: id, finished })
  finished ? printDone(`Deleted: the copy in ${from.name}`) : print('There is no copy to delete.')
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
