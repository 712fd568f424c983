import { type Command, Option } from 'commander'
import type { TokenSubject } from '../graphql/analyst-token.ts'
import { command, jsonOption, wholeNumber } from './command.ts'
import { CommandError } from './failure.ts'
import { print, printJson, remark } from './output.ts'
import type { Context, Session } from './session.ts'

type TokenOptions = {
  studio?: string
  for?: string
  minutes?: number
  login?: string
  days?: number
  json: boolean
}

export function analystTokenCommand(context: Context): Command {
  return command('token')
    .description(
      "Print a token for GraphQL: a member's, valid for minutes, or an analyst login's, valid for days, for scheduled queries.",
    )
    .option('--studio <name-or-id>', 'the studio whose data it reads')
    .option('--for <email>', "the member who uses it (default: the studio's owner)")
    .addOption(
      new Option('--minutes <number>', "how long a member's token is valid, at most 15 (default: 15)").argParser(
        wholeNumber(1, 15),
      ),
    )
    .option('--login <name>', 'the login it belongs to, as in the list: the token ends with the login')
    .addOption(
      new Option(
        '--days <number>',
        "how long a login's token is valid, at most 90 (default: as long as the login)",
      ).argParser(wholeNumber(1, 90)),
    )
    .addOption(jsonOption())
    .notes(`
The token is the only line on standard output. A member's stops working when the user is no longer a member; a login's when
the login is dropped or rotated, or its validity ends.

Examples:
  studio-inventory analyst token --studio "Northlight Studios"
  studio-inventory analyst token --studio "Northlight Studios" --for priya@northlight.example --minutes 5
  studio-inventory analyst token --login analyst_3f9c2a17b04e --days 30`)
    .action(async (options: TokenOptions) => {
      checkOptions(options)
      const { withDatabase } = await import('./session.ts')
      const { signAnalystToken } = await import('../graphql/analyst-token.ts')
      const { loginSubject, memberSubject } = await import('./analyst-bearer.ts')
      const issue = async ({ database, ...session }: Session) => {
        const { named, lifeSeconds, issuedAt } =
          options.login === undefined
            ? await memberSubject(session, options)
            : await loginSubject(database.adminUrl, options.login, options.days)
        const token = await signAnalystToken(database.secretKey, named satisfies TokenSubject, {
          lifeSeconds,
          now: () => issuedAt,
        })
        if (options.json) return printJson({ token, life_seconds: lifeSeconds })
        print(token)
        if (options.login !== undefined) {
          const end = new Date(issuedAt + lifeSeconds * 1000).toISOString()
          remark(`Valid until ${end.slice(0, 16).replace('T', ' ')} UTC. To end it: analyst drop ${options.login}`)
        }
      }
      await withDatabase(context, issue)
    })
}

/** @throws CommandError for options that do not go together */
function checkOptions({ studio, login, for: member, minutes, days }: TokenOptions): void {
  if ((studio === undefined) === (login === undefined)) {
    throw new CommandError('Give either --studio, for minutes, or --login, for days.')
  }
  if (login !== undefined && (member !== undefined || minutes !== undefined)) {
    throw new CommandError('--login goes with --days; --for and --minutes belong to --studio.')
  }
  if (login === undefined && days !== undefined) {
    throw new CommandError('--days needs --login: a token without a login is valid for 15 minutes at most.')
  }
}
