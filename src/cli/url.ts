import { type Command, Option } from 'commander'
import { command, jsonOption } from './command.ts'
import { print, printJson } from './output.ts'
import type { Context } from './session.ts'

const roles = {
  api: 'studio_api',
  recorder: 'studio_recorder',
  writer: 'studio_writer',
  console: 'studio_console',
  graphql: 'studio_graphql',
} as const

/** `url`: one line, a connection string to the database in use. */
export function urlCommand(context: Context): Command {
  return command('url')
    .description('Print a connection string to the database in use, for psql and BI tools.')
    .addOption(
      new Option('--as <role>', 'the administrator (owner) or a role of the service')
        .choices(['owner', ...Object.keys(roles)])
        .default('owner'),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The connection string contains the password. The embedded server is reachable while serve runs.

Examples:
  psql "$(studio-inventory url)"
  psql "$(studio-inventory url --as api)"`,
    )
    .action(async (options: { as: 'owner' | keyof typeof roles; json: boolean }) => {
      const { withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const url = options.as === 'owner' ? database.adminUrl : database.urlFor(roles[options.as])
        if (options.json) return printJson({ role: options.as, url })
        print(url)
      })
    })
}
