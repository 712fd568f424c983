import { type Command, InvalidArgumentError, Option } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; month: number | 'none'; json: boolean }

/** `studio financial-year`: sets the month in which a studio's financial year begins. */
export function studioFinancialYearCommand(context: Context): Command {
  return command('financial-year')
    .description(
      'Set the month in which the financial year of a studio begins: depreciation is then based on those years.',
    )
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(
      new Option('--month <number>', 'its first month, 1 to 12; none: the years of each item')
        .argParser(monthOrNone)
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Values are recalculated at once. The first year of an item goes from its month of acquisition, which counts as a whole
one, to the end of that financial year.

Examples:
  studio-inventory studio financial-year --studio "Northlight Studios" --month 4
  studio-inventory studio financial-year --studio "Northlight Studios" --month none`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      await withDatabase(context, async ({ database }) => {
        const month = options.month === 'none' ? null : options.month
        const { id, moved } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, options.studio)
          const text = 'select access.set_financial_year($1, $2) as moved'
          const [row] = await transaction.query<{ moved: number }>(text, [id, month])
          return { id, moved: row?.moved ?? 0 }
        })
        if (options.json) return printJson({ studio_id: id, month, new_values: moved })
        printDone(moved === 1 ? '1 item has a new value.' : `${moved} items have a new value.`)
      })
    })
}

function monthOrNone(text: string): number | 'none' {
  if (text === 'none') return text
  if (!/^(?:[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Write a month from 1 to 12, or none.')
  return Number(text)
}
