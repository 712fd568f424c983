import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { analystCreateCommand } from './create.ts'
import { analystDropCommand } from './drop.ts'
import { analystListCommand } from './list.ts'
import { analystRotateCommand } from './rotate.ts'

/** `analyst`: logins for SQL, each of which sees one studio. */
export function analystCommand(context: Context): Command {
  return command('analyst')
    .description("Analysts' logins: one studio's data in psql and any BI tool, read only.")
    .addCommand(analystCreateCommand(context))
    .addCommand(analystListCommand(context))
    .addCommand(analystRotateCommand(context))
    .addCommand(analystDropCommand(context))
}
