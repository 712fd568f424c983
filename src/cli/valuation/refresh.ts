import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { CommandError } from '../failure.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

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
      const { withDatabase } = await import('../session.ts')
      const { refreshValuations } = await import('../../process/valuation.ts')
      await withDatabase(context, async ({ database, log }) => {
        const { moved, failed } = await refreshValuations(database.urlFor('studio_writer'), log, options.rebuildMissing)
        if (!options.json) printDone(moved === 1 ? '1 item has a new value.' : `${moved} items have a new value.`)
        else if (failed === 0) printJson({ new_values: moved })
        if (failed === 0) return
        const studios = failed === 1 ? '1 studio' : `${failed} studios`
        throw new CommandError(`the values of ${studios} could not be refreshed`, 'The service tries again by itself.')
      })
    })
}
