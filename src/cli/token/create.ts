import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson, remark } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; name: string; issuer?: string; scopeTo?: string; json: boolean }

/** `token create`: issues a token and shows it, once. */
export function tokenCreateCommand(context: Context): Command {
  return command('create')
    .description('Create a token and print it. It is shown only once: only its digest is stored.')
    .requiredOption('--studio <name-or-id>', 'the studio whose data it reads')
    .requiredOption('--name <text>', 'what it is for, up to 100 characters')
    .option('--issuer <email>', "the owner or admin who issues it (default: the studio's owner)")
    .option('--scope-to <email>', 'the team member it acts as (default: its issuer)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The token is the only line on standard output.

Examples:
  studio-inventory token create --studio "Northlight Studios" --name "Accounting"
  studio-inventory token create --studio "Northlight Studios" --name "BI" --scope-to priya@northlight.example
  TOKEN=$(studio-inventory token create --studio "Northlight Studios" --name "Script")`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio, findUser, ownerOf } = await import('../lookup.ts')
      const { issueToken } = await import('../../auth/issue-token.ts')
      await withDatabase(context, async ({ database }) => {
        const issued = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const issuedBy = options.issuer
            ? await findUser(transaction, options.issuer)
            : await ownerOf(transaction, studioId)
          const scopeUserId = options.scopeTo ? await findUser(transaction, options.scopeTo) : null
          return issueToken(transaction, { studioId, issuedBy, name: options.name, scopeUserId })
        })
        if (options.json) return printJson(issued)
        print(issued.token)
        remark(
          `Save it now: it cannot be shown again. To revoke it: token revoke --studio "${options.studio}" ${issued.id}`,
        )
      })
    })
}
