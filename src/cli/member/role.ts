import { Argument, type Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'
import { roles } from './members.ts'

type Options = { studio: string; by?: string; json: boolean }

/** `member role`: gives a member another role. */
export function memberRoleCommand(context: Context): Command {
  return command('role')
    .description('Give a member another role. A studio keeps at least one owner; only owners make owners.')
    .argument('<email>', 'the e-mail of the member')
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The tokens that a former admin created keep working.

Examples:
  studio-inventory member role --studio "Northlight Studios" mia@northlight.example admin`,
    )
    .action(async (email: string, role: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { doerOf, findMember } = await import('./members.ts')
      await withDatabase(context, async ({ database }) => {
        const member = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          const found = await findMember(transaction, studioId, email)
          await transaction.query('select access.change_role($1, $2, $3, $4)', [studioId, found.id, role, by])
          return found
        })
        if (options.json) return printJson({ id: member.id, email: member.email, role })
        printDone(`${member.email}: ${role}`)
      })
    })
}
