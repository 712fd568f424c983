import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { tokenActivityCommand } from './activity.ts'
import { tokenCreateCommand } from './create.ts'
import { tokenListCommand } from './list.ts'
import { tokenRevokeCommand } from './revoke.ts'

/** `token`: the API tokens of a studio. */
export function tokenCommand(context: Context): Command {
  return command('token')
    .description('The API tokens of a studio.')
    .addCommand(tokenCreateCommand(context))
    .addCommand(tokenListCommand(context))
    .addCommand(tokenRevokeCommand(context))
    .addCommand(tokenActivityCommand(context))
}
