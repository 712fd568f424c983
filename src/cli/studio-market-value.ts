import type { Command } from 'commander'
import { counted } from '../domain/text.ts'
import { command, day, jsonOption, onDatabase } from './command.ts'
import { requireConsent } from './dialogue.ts'
import { CommandError } from './failure.ts'
import { printResult } from './output.ts'
import type { Context } from './session.ts'

/** What an item is worth with its market value, and without it. */
type Withdrawable = {
  name_given: string
  item_id: string | null
  name: string
  market_value: string | null
  as_of: string
  worth: string | null
  source: string
}

type WithdrawOptions = { since?: string; yes: boolean; json: boolean }

export function studioWithdrawMarketValueCommand(context: Context): Command {
  return command('withdraw-market-value')
    .description('Withdraw the market values of items: their other sources then decide what they are worth.')
    .argument('<studio>', 'its name or id')
    .argument('<items...>', 'the items, by external key or id')
    .option('--since <day>', 'the first day without it (default: today)', day)
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .notes(`
It says first what each item would be worth. Earlier days and closed months stay as they are. Give the day of
a value that was wrong from the beginning with --since.

Examples:
  studio-inventory studio withdraw-market-value "Northlight Studios" NL-1114
  studio-inventory studio withdraw-market-value "Northlight Studios" NL-1114 NL-1120 --since 2026-04-01`)
    .action(
      onDatabase(context, async ({ inStudio, asOwner }, studio: string, items: string[], options: WithdrawOptions) => {
        const { id, currency, found } = await inStudio(studio, async ({ query, id }) => ({
          id,
          currency: (await query<{ currency: string }>('select currency from app.studios where id = $1', [id]))[0]
            ?.currency,
          found: await query<Withdrawable>(
            'select name_given, item_id, name, market_value, as_of::text, worth, source from access.withdrawable_market_values($1, $2)',
            [id, items],
          ),
        }))
        const lacking = found.find(({ market_value }) => market_value === null)
        if (lacking) {
          const why =
            lacking.item_id === null ? 'is not an item of the studio' : `(${lacking.name}) has no market value`
          throw new CommandError(
            `${lacking.name_given} ${why}; nothing was withdrawn`,
            'Name items by external key or id.',
          )
        }
        const lines = found.map(
          ({ name_given, name, market_value, as_of, worth, source }) =>
            `${name_given}, ${name}: ${currency} ${market_value} of ${as_of} is withdrawn; it is worth ` +
            (worth === null ? 'nothing that is known.' : `${currency} ${worth} then, ${source.replace('_', ' ')}.`),
        )
        const until = `Days before ${options.since ?? 'today'} and closed months stay as they are.`
        await requireConsent({ what: [...lines, until].join('\n'), yes: options.yes })
        const [done] = await asOwner(({ query }) =>
          query<{ withdrawn: number }>('select access.withdraw_market_values($1, $2, $3) as withdrawn', [
            ...[id, found.map(({ item_id }) => item_id), options.since ?? null],
          ]),
        )
        const withdrawn = done?.withdrawn ?? 0
        const what = { studio_id: id, since: options.since ?? null, withdrawn }
        printResult(options.json, what, `Withdrawn: ${counted(withdrawn, 'market value', 'market values')}`)
      }),
    )
}
