import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { analystCreateCommand } from './create.ts'
import { analystDropCommand } from './drop.ts'
import { analystListCommand } from './list.ts'
import { analystRotateCommand } from './rotate.ts'
import { analystTokenCommand } from './token.ts'

/** `analyst`: logins for SQL, each of which sees one studio, and tokens for GraphQL. */
export function analystCommand(context: Context): Command {
  return command('analyst')
    .description("Analysts: one studio's data, read only, in psql, any BI tool or GraphQL.")
    .addCommand(analystCreateCommand(context))
    .addCommand(analystListCommand(context))
    .addCommand(analystRotateCommand(context))
    .addCommand(analystDropCommand(context))
    .addCommand(analystTokenCommand(context))
}
