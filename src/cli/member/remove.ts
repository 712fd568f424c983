import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { requireConsent, terminal } from '../dialogue.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; by?: string; yes: boolean; json: boolean }

/** `member remove`: removes a member from a studio, after it has said what that does. */
export function memberRemoveCommand(context: Context): Command {
  return command('remove')
    .description('Remove a member from a studio: their tokens are revoked, and their analyst logins end.')
    .argument('<email>', 'the e-mail of the member')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It says how many tokens are revoked and asks. A token of somebody else that is scoped to the member acts as its issuer
afterwards. Whoever is added again gets no token back.

Examples:
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example
  studio-inventory member remove --studio "Northlight Studios" mia@northlight.example --yes --json`,
    )
    .action(async (email: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { consequences, doerOf, findMember } = await import('./members.ts')
      await withDatabase(context, async ({ database }) => {
        const { studioId, by, member } = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const by = await doerOf(transaction, studioId, options.by)
          return { studioId, by, member: await findMember(transaction, studioId, email) }
        })
        await requireConsent({ what: consequences(member), yes: options.yes, asking: terminal() })
        const [row] = await asOwner(database.adminUrl, (transaction) =>
          transaction.query<{ revoked: number }>('select access.dismiss_member($1, $2, $3) as revoked', [
            ...[studioId, member.id, by],
          ]),
        )
        const revoked = row?.revoked ?? 0
        if (options.json) return printJson({ id: member.id, email: member.email, revoked_tokens: revoked })
        printDone(`Removed: ${member.email}. Revoked tokens: ${revoked}`)
      })
    })
}
