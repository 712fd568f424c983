import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { analystTokenCommand } from './token.ts'

/** `analyst`: those who compute with a studio's data. */
export function analystCommand(context: Context): Command {
  return command('analyst').description("Analysts of a studio's data.").addCommand(analystTokenCommand(context))
}
