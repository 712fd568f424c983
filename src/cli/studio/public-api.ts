import { Argument, type Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson } from '../output.ts'
import type { Context } from '../session.ts'

/** `studio public-api`: turns the public API on or off for a studio. */
export function studioPublicApiCommand(context: Context): Command {
  return command('public-api')
    .description(
      'Turn the public API on or off for a studio. When off, no token is created or accepted, and the console has no tab for them.',
    )
    .argument('<studio>', 'its name or id')
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
It takes effect with the next request; tokens stay and work again when it is turned on.

Examples:
  studio-inventory studio public-api "Northlight Studios" off`,
    )
    .action(async (studio: string, state: 'on' | 'off', options: { json: boolean }) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      await withDatabase(context, async ({ database }) => {
        const id = await asOwner(database.adminUrl, async (transaction) => {
          const found = await findStudio(transaction, studio)
          await transaction.query('select access.set_public_api($1, $2)', [found, state === 'on'])
          return found
        })
        if (options.json) return printJson({ studio_id: id, public_api: state === 'on' })
        printDone(`The public API is ${state}.`)
      })
    })
}
