import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { by?: string; json: boolean }

/** `studio rename`: gives a studio another name. */
export function studioRenameCommand(context: Context): Command {
  return command('rename')
    .description('Give a studio another name. Its id, tokens and addresses stay.')
    .argument('<studio>', 'its name or id')
    .argument('<new-name>', 'its new name, up to 200 characters')
    .option('--by <email>', "the owner or admin in whose name it is done (default: the studio's owner)")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory studio rename "Northlight Studios" "Northlight Sound"`,
    )
    .action(async (studio: string, name: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { doerOf } = await import('../member/members.ts')
      await withDatabase(context, async ({ database }) => {
        const id = await asOwner(database.adminUrl, async (transaction) => {
          const found = await findStudio(transaction, studio)
          const by = await doerOf(transaction, found, options.by)
          await transaction.query('select access.rename_studio($1, $2, $3)', [found, name, by])
          return found
        })
        if (options.json) return printJson({ studio_id: id, name })
        printDone(`Renamed: ${name}`)
      })
    })
}
