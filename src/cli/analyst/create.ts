import { type Command, Option } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson, readable, remark } from '../output.ts'
import type { Context } from '../session.ts'
import { remarkPlain, validDaysOption, wholeNumber } from './options.ts'

type Options = {
  studio: string
  for?: string
  validDays: number
  connections: number
  timeout: number
  json: boolean
}

/** `analyst create`: makes a login and shows its connection string, once. */
export function analystCreateCommand(context: Context): Command {
  return command('create')
    .description(
      'Create a login that sees one studio in SQL, and print its connection string, which is shown only once.',
    )
    .requiredOption('--studio <name-or-id>', 'the studio that it sees')
    .option('--for <email>', 'the member of the studio it is for; it ends with the membership')
    .addOption(validDaysOption())
    .addOption(
      new Option('--connections <number>', 'how many concurrent sessions it may have')
        .argParser(wholeNumber(1, 100))
        .default(4),
    )
    .addOption(
      new Option('--timeout <seconds>', 'how long a statement may run').argParser(wholeNumber(5, 3600)).default(60),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The connection string is the only line on standard output. With ANALYST_DATABASE_URL it names that server, and asks for TLS. A login is for one person or one tool: its queries are
written to the server's log under its name.

Examples:
  studio-inventory analyst create --studio "Northlight Studios"
  studio-inventory analyst create --studio "Northlight Studios" --for priya@northlight.example --valid-days 30
  psql "$(studio-inventory analyst create --studio "Northlight Studios")"`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asAdministrator } = await import('../../database/session.ts')
      const { findStudio, findUser } = await import('../lookup.ts')
      const { createLogin } = await import('../../apps/analysts/logins.ts')
      const { closingStatement, otherDatabases } = await import('../../apps/analysts/databases.ts')
      await withDatabase(context, async ({ config, database }) => {
        const { adminUrl, embedded } = database
        const { notSet, ...issued } = await asAdministrator(adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const userId = options.for ? await findUser(transaction, options.for) : null
          const made = await createLogin(transaction, config.analystUrl ?? adminUrl, { studioId, userId, ...options })
          const others = await otherDatabases(transaction, made.login)
          if (others.length > 0) {
            // The embedded server is all ours; what else lives on somebody's own server is not.
            if (embedded) await transaction.query(closingStatement(others))
            else remark(`It may also connect to ${others.join(', ')}. To close them: ${closingStatement(others)};`)
          }
          return made
        })
        if (notSet.length > 0) {
          remark(`Not set, because that takes a superuser: ${notSet.join(', ')}; see docs/analysts.md.`)
        }
        if (options.json) return printJson(issued)
        print(issued.url)
        remarkPlain(issued.url)
        remark(
          `Save it now: it cannot be shown again. Valid until ${readable(issued.valid_until)}. To end it: analyst drop ${issued.login}`,
        )
      })
    })
}
