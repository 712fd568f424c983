import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson } from '../output.ts'
import type { Context } from '../session.ts'
import { printTable } from '../table.ts'

type Options = { studio: string; json: boolean }

/** `member list`: the members of a studio. */
export function memberListCommand(context: Context): Command {
  return command('list')
    .description('List the members of a studio by name, with their roles and the tokens that act as them.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
TOKENS act as the member and are revoked with their removal; SCOPED are tokens of others that are scoped to them.

Examples:
  studio-inventory member list --studio "Northlight Studios"
  studio-inventory member list --studio "Northlight Studios" --json`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { membersOf } = await import('./members.ts')
      await withDatabase(context, async ({ database }) => {
        const members = await asOwner(database.adminUrl, async (transaction) =>
          membersOf(transaction, await findStudio(transaction, options.studio)),
        )
        if (options.json) return printJson(members)
        if (members.length === 0) return print('The studio has no members.')
        printTable(
          members.map((member) => ({ ...member, since: member.since.slice(0, 10) })),
          {
            name: { heading: 'NAME', least: 12 },
            email: { heading: 'E-MAIL', least: 16 },
            role: { heading: 'ROLE' },
            since: { heading: 'SINCE' },
            tokens: { heading: 'TOKENS', numeric: true },
            scoped_tokens: { heading: 'SCOPED', numeric: true },
            analyst_logins: { heading: 'ANALYST LOGINS', numeric: true },
          },
        )
      })
    })
}
