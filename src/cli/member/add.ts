import { type Command, Option } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'
import { roles } from './members.ts'

type Options = { studio: string; role: string; name?: string; by?: string; json: boolean }

/** `member add`: makes somebody a member of a studio. */
export function memberAddCommand(context: Context): Command {
  return command('add')
    .description('Make somebody a member of a studio, by the e-mail under which they sign in. No message is sent.')
    .argument('<email>', 'their e-mail')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(new Option('--role <role>', 'their role').choices(roles).default('member'))
    .option('--name <text>', 'how this studio names them (default: the e-mail)')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Owners and admins manage tokens and members; only owners make owners. Members see the tokens.

Examples:
  studio-inventory member add --studio "Northlight Studios" mia@northlight.example --name "Mia Lindqvist"
  studio-inventory member add --studio "Northlight Studios" theo@northlight.example --role admin`,
    )
    .action(async (email: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { doerOf } = await import('./members.ts')
      await withDatabase(context, async ({ database }) => {
        const { role, name } = options
        const id = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          const text = 'select access.admit_member($1, $2, $3, $4, $5) as id'
          const [row] = await transaction.query<{ id: string }>(text, [studioId, email, name ?? '', role, by])
          return row?.id
        })
        if (options.json) return printJson({ id, email, role })
        printDone(`Added: ${email} (${role})`)
      })
    })
}
