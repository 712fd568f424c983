import type { Command } from 'commander'
import { together } from '../cells-output.ts'
import { command, jsonOption } from '../command.ts'
import { CommandError } from '../failure.ts'
import { printDone, printJson } from '../output.ts'
import type { Context, Session } from '../session.ts'

/** `valuation refresh`: applies due depreciation now. */
export function valuationRefreshCommand(context: Context): Command {
  return command('refresh')
    .description(
      'Refresh the value of every item whose value changes with time. The service does this every few minutes.',
    )
    .option('--rebuild-missing', 'also value items whose valuation is missing', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory valuation refresh
  studio-inventory valuation refresh --rebuild-missing`,
    )
    .action(async (options: { rebuildMissing: boolean; json: boolean }) => {
      const { inEachCell } = await import('../cells.ts')
      const { refreshValuations } = await import('../../process/valuation.ts')
      const refreshOne = async ({ database, log, cell }: Session) => {
        const { moved, failed } = await refreshValuations(database.urlFor('studio_writer'), log, options.rebuildMissing)
        const done = moved === 1 ? '1 item has a new value.' : `${moved} items have a new value.`
        if (!options.json) printDone(cell === undefined ? done : `${cell}: ${done}`)
        if (failed === 0) return { new_values: moved }
        const studios = failed === 1 ? '1 studio' : `${failed} studios`
        throw new CommandError(`the values of ${studios} could not be refreshed`, 'The service tries again by itself.')
      }
      const done = await inEachCell(context, refreshOne)
      if (options.json) printJson(together(done))
    })
}
