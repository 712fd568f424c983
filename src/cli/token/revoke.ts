import type { Command } from 'commander'
import { utc } from '../../database/client.ts'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson, readable } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; by?: string; json: boolean }

/** `token revoke`: from the next request on the token is refused. */
export function tokenRevokeCommand(context: Context): Command {
  return command('revoke')
    .description('Revoke a token: the next request with it is refused. Revoking again changes nothing.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin who revokes it (default: the studio's owner)")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory token revoke --studio "Northlight Studios" "Accounting"
  studio-inventory token revoke --studio "Northlight Studios" svc_studio_x7Qa --by tomas@northlight.example`,
    )
    .action(async (wanted: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio, findUser, ownerOf } = await import('../lookup.ts')
      const { findToken } = await import('./find.ts')
      await withDatabase(context, async ({ database }) => {
        const revoked = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const { id, name, prefix } = await findToken(transaction, studioId, wanted)
          const by = options.by ? await findUser(transaction, options.by) : await ownerOf(transaction, studioId)
          const [row] = await transaction.query<{ at: string }>(
            `select ${utc('revoked_at')} as at from access.revoke_token($1, $2, $3)`,
            [studioId, id, by],
          )
          return { id, name, prefix, revoked_at: row?.at ?? null }
        })
        if (options.json) return printJson(revoked)
        printDone(`Revoked: ${revoked.name} (${revoked.prefix}…), ${readable(revoked.revoked_at)}`)
      })
    })
}
