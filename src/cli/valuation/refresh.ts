import type { Command } from 'commander'
import { command } from '../command.ts'
import { print } from '../output.ts'
import type { Context } from '../session.ts'

/** `valuation refresh`: the monthly tick of depreciation, at once. */
export function valuationRefreshCommand(context: Context): Command {
  return command('refresh')
    .description('Refresh the value of every item whose value changes with time. The service does this daily.')
    .option('--rebuild-missing', 'also value items whose valuation is missing', false)
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory valuation refresh
  studio-inventory valuation refresh --rebuild-missing`,
    )
    .action(async (options: { rebuildMissing: boolean }) => {
      const { withDatabase } = await import('../session.ts')
      const { refreshValuation } = await import('../../process/valuation.ts')
      await withDatabase(context, async ({ database }) => {
        const moved = await refreshValuation(database.urlFor('studio_writer'), options.rebuildMissing)
        print(moved === 1 ? '1 item has a new value.' : `${moved} items have a new value.`)
      })
    })
}
