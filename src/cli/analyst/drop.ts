import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { printDone, printJson, warn } from '../output.ts'
import type { Context } from '../session.ts'
import { remarkEnded } from './options.ts'

/** `analyst drop`: from the next statement on the login sees nothing. */
export function analystDropCommand(context: Context): Command {
  return command('drop')
    .description('Drop a login. Its open sessions see nothing from their next statement on, and are ended.')
    .argument('<login>', 'its name, as in the list')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory analyst drop analyst_3f9c2a17b04e`,
    )
    .action(async (login: string, options: { json: boolean }) => {
      const { withDatabase } = await import('../session.ts')
      const { dropLogin } = await import('../../apps/analysts/logins.ts')
      const { explainUnknown } = await import('./known.ts')
      await withDatabase(context, async ({ database }) => {
        const { keptBecause, ...sessions } = await explainUnknown(database.adminUrl, login, () =>
          dropLogin(database.adminUrl, login),
        )
        const { ended, openBecause } = sessions
        if (options.json) {
          const dropped = keptBecause === null
          return printJson({ login, dropped, kept_because: keptBecause, ended, open_because: openBecause })
        }
        if (keptBecause === null) printDone(`Dropped: ${login}`)
        else {
          printDone(`Cut off: ${login}`)
          warn(`It sees nothing and cannot log in, but the role still exists: ${keptBecause}`)
        }
        remarkEnded(sessions)
      })
    })
}
