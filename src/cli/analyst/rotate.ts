import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson, readable, remark } from '../output.ts'
import type { Context } from '../session.ts'
import { remarkEnded, remarkPlain, validDaysOption } from './options.ts'

type Options = { validDays: number; json: boolean }

/** `analyst rotate`: a new password, and a new expiry. */
export function analystRotateCommand(context: Context): Command {
  return command('rotate')
    .description('Give a login a new password and expiry, and print its connection string. Open sessions are ended.')
    .argument('<login>', 'its name, as in the list')
    .addOption(validDaysOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The connection string is the only line on standard output.

Examples:
  studio-inventory analyst rotate analyst_3f9c2a17b04e
  studio-inventory analyst rotate analyst_3f9c2a17b04e --valid-days 30`,
    )
    .action(async (login: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { rotateLogin } = await import('../../apps/analysts/logins.ts')
      const { explainUnknown } = await import('./known.ts')
      await withDatabase(context, async ({ config, database }) => {
        const rotated = await explainUnknown(database.adminUrl, login, () =>
          rotateLogin(database.adminUrl, login, options.validDays, config.analystUrl),
        )
        const { ended, openBecause, ...issued } = rotated
        remarkEnded({ ended, openBecause })
        if (options.json) return printJson(issued)
        print(issued.url)
        remarkPlain(issued.url)
        remark(`Save it now: it cannot be shown again. Valid until ${readable(issued.valid_until)}.`)
      })
    })
}
