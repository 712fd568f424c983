import type { Command } from 'commander'
import { utc } from '../../database/timestamps.ts'
import { command } from '../command.ts'
import { print, readable } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; by?: string }

/** `token revoke`: from the next request on the token is refused. */
export function tokenRevokeCommand(context: Context): Command {
  return command('revoke')
    .description('Revoke a token: the next request with it is refused. Revoking again changes nothing.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin who revokes it (default: the studio's owner)")
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
        await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const { id, name, prefix } = await findToken(transaction, studioId, wanted)
          const by = options.by ? await findUser(transaction, options.by) : await ownerOf(transaction, studioId)
          const [revoked] = await transaction.query<{ at: string }>(
            `select ${utc('revoked_at')} as at from access.revoke_token($1, $2, $3)`,
            [studioId, id, by],
          )
          print(`Revoked: ${name} (${prefix}…), ${readable(revoked?.at ?? null)}`)
        })
      })
    })
}
