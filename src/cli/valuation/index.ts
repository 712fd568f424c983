import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { valuationRefreshCommand } from './refresh.ts'

/** `valuation`: the values of items. */
export function valuationCommand(context: Context): Command {
  return command('valuation').description('The values of items.').addCommand(valuationRefreshCommand(context))
}
