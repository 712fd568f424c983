import type { Command } from 'commander'
import { command } from '../command.ts'
import type { Context } from '../session.ts'
import { memberAddCommand } from './add.ts'
import { memberListCommand } from './list.ts'
import { memberRemoveCommand } from './remove.ts'
import { memberRoleCommand } from './role.ts'

/** `member`: the people of a studio. */
export function memberCommand(context: Context): Command {
  return command('member')
    .description('The members of a studio: who may sign in to its console, and as whom tokens act.')
    .addCommand(memberAddCommand(context))
    .addCommand(memberListCommand(context))
    .addCommand(memberRoleCommand(context))
    .addCommand(memberRemoveCommand(context))
}
