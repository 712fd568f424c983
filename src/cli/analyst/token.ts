import { type Command, InvalidArgumentError } from 'commander'
import { command, jsonOption } from '../command.ts'
import { CommandError } from '../failure.ts'
import { print, printJson, warn } from '../output.ts'
import type { Context } from '../session.ts'

type Options = { studio: string; for?: string; minutes: number; json: boolean }

/** `analyst token`: signs a token for GraphQL. Nothing is stored: it expires by itself, or ends with the membership. */
export function analystTokenCommand(context: Context): Command {
  return command('token')
    .description(
      'Print a token for GraphQL. It expires by itself, and stops working when the user is no longer a member.',
    )
    .requiredOption('--studio <name-or-id>', 'the studio whose data it reads')
    .option('--for <email>', "the member who uses it (default: the studio's owner)")
    .option('--minutes <number>', 'how long it is valid, at most 15', minutes, 15)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The token is the only line on standard output.

Examples:
  studio-inventory analyst token --studio "Northlight Studios"
  studio-inventory analyst token --studio "Northlight Studios" --for priya@northlight.example --minutes 5`,
    )
    .action(async (options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio, findUser, ownerOf } = await import('../lookup.ts')
      const { signAnalystToken } = await import('../../apps/graphql/analyst-token.ts')
      await withDatabase(context, async ({ database }) => {
        const identity = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const userId = options.for ? await findUser(transaction, options.for) : await ownerOf(transaction, studioId)
          const [session] = await transaction.query<{ status: number }>(
            'select status from access.open_analyst_session($1, $2, null)',
            [studioId, userId],
          )
          if (session?.status === 401) throw new CommandError(`${options.for} is not a member of the studio`)
          if (session?.status === 403) warn("The studio's plan does not include API access: the token will be refused.")
          return { studioId, userId }
        })
        const lifeSeconds = options.minutes * 60
        const token = await signAnalystToken(database.secretKey, identity, { lifeSeconds })
        if (options.json) return printJson({ token, life_seconds: lifeSeconds })
        print(token)
      })
    })
}

function minutes(value: string): number {
  const number = Number(value)
  if (!/^\d{1,2}$/.test(value) || number < 1 || number > 15) {
    throw new InvalidArgumentError('Give a whole number from 1 to 15.')
  }
  return number
}
