import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson, readable } from '../output.ts'
import type { Context } from '../session.ts'
import { printTable } from '../table.ts'

type Options = { studio: string; json: boolean }

/** `token list`: the tokens of a studio. */
export function tokenListCommand(context: Context): Command {
  return command('list')
    .description('List the tokens of a studio, newest first, revoked ones included.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory token list --studio "Northlight Studios"
  studio-inventory token list --studio "Northlight Studios" --json`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { tokensOf } = await import('./find.ts')
      await withDatabase(context, async ({ database }) => {
        const tokens = await asOwner(database.adminUrl, async (transaction) =>
          tokensOf(transaction, await findStudio(transaction, options.studio)),
        )
        if (options.json) return printJson(tokens)
        if (tokens.length === 0) return print('The studio has no tokens.')
        const rows = tokens.map((token) => ({
          ...token,
          created_at: readable(token.created_at),
          last_used_at: readable(token.last_used_at, 'Never used'),
          revoked_at: readable(token.revoked_at),
          expires_at: token.expired ? `${readable(token.expires_at)} (expired)` : readable(token.expires_at, 'Never'),
          addresses: token.addresses?.join(' ') ?? 'Any',
        }))
        printTable(rows, {
          name: { heading: 'NAME', least: 12 },
          prefix: { heading: 'PREFIX' },
          issued_by: { heading: 'ISSUED BY', least: 12 },
          scoped_to: { heading: 'SCOPED TO', least: 12 },
          created_at: { heading: 'CREATED' },
          last_used_at: { heading: 'LAST USED' },
          revoked_at: { heading: 'REVOKED' },
          expires_at: { heading: 'EXPIRES' },
          addresses: { heading: 'ADDRESSES', least: 12 },
          id: { heading: 'ID' },
        })
      })
    })
}
