import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { requireConsent, terminal } from '../dialogue.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { undo: boolean; by?: string; yes: boolean; json: boolean }

/** `studio archive`: takes a studio out of use, or brings it back. */
export function studioArchiveCommand(context: Context): Command {
  return command('archive')
    .description('Take a studio out of use, with all its data and tokens kept; --undo brings it back.')
    .argument('<studio>', 'its name or id')
    .option('--undo', 'bring an archived studio back', false)
    .option('--by <email>', "the owner in whose name it is done (default: the studio's owner)")
    .option('-y, --yes', 'do not ask', false)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Of an archived studio the API and GraphQL answer 403, the console does not show it, and its analysts cannot log in.

Examples:
  studio-inventory studio archive "Northlight Studios"
  studio-inventory studio archive "Northlight Studios" --undo`,
    )
    .action(async (studio: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { lockLogins } = await import('../../apps/analysts/logins.ts')
      const { findStudio } = await import('../lookup.ts')
      const { doerOf } = await import('../member/members.ts')
      await withDatabase(context, async ({ database }) => {
        const archived = !options.undo
        const { id, name, by } = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          const [found] = await transaction.query<{ name: string }>('select name from app.studios where id = $1', [id])
          return { id, name: found?.name ?? studio, by: await doerOf(transaction, id, options.by) }
        })
        const what = `Every request with a token of ${name} will be refused; its people and analysts will see nothing of it.`
        if (archived) await requireConsent({ what, yes: options.yes, asking: terminal() })
        await asOwner(database.adminUrl, (transaction) =>
          transaction.query('select access.archive_studio($1, $2, $3)', [id, archived, by]),
        )
        const logins = await lockLogins(database.adminUrl, id, archived)
        if (options.json) return printJson({ studio_id: id, archived, analyst_logins: logins })
        printDone(archived ? `Archived: ${name}` : `Back in use: ${name}`)
      })
    })
}
