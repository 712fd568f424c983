import { type Command, InvalidArgumentError, Option } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson, remark } from '../output.ts'
import type { Context } from '../session.ts'

type Options = {
  ownerEmail: string
  ownerName?: string
  plan: string
  timezone: string
  currency: string
  json: boolean
}

/** `studio create`: a studio with its owner, an active plan and its default location. */
export function studioCreateCommand(context: Context): Command {
  return command('create')
    .description('Create a studio with its owner and its default location, and print its id.')
    .argument('<name>', 'the name of the studio', matching(/\S/, 'Give a name.'))
    .addOption(
      new Option('--owner-email <email>', 'its owner; an unknown e-mail creates a new user')
        .argParser(matching(/^[^@\s]+@[^@\s]+$/, 'Write an e-mail such as olga@studio.example.'))
        .makeOptionMandatory(),
    )
    .option('--owner-name <text>', 'how the studio names its owner (default: the e-mail)')
    .addOption(new Option('--plan <plan>', 'its plan').choices(['pro', 'pro_insure', 'studio']).default('studio'))
    .option('--timezone <name>', 'the IANA time zone of its calendar', 'UTC')
    .addOption(
      new Option('--currency <code>', 'the ISO 4217 code of its amounts')
        .argParser(matching(/^[A-Z]{3}$/, 'Write three capital letters such as EUR.'))
        .default('EUR'),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The id is the only line on standard output.

Examples:
  studio-inventory studio create "Attic Sound" --owner-email olga@attic.example
  studio-inventory studio create "Attic Sound" --owner-email olga@attic.example --timezone Europe/Berlin --plan pro`,
    )
    .action(async (name: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      await withDatabase(context, async ({ database }) => {
        const [made] = await asOwner(database.adminUrl, (transaction) =>
          transaction.query<{ id: string }>('select access.create_studio($1, $2, $3, $4, $5, $6) as id', [
            name,
            options.ownerEmail,
            options.ownerName ?? '',
            options.plan,
            options.timezone,
            options.currency,
          ]),
        )
        const { ownerEmail, plan, timezone, currency } = options
        if (options.json) return printJson({ id: made?.id, name, owner_email: ownerEmail, plan, timezone, currency })
        print(made?.id ?? '')
        remark(`A token to read it: studio-inventory token create --studio ${made?.id} --name "First token"`)
      })
    })
}

function matching(pattern: RegExp, remedy: string): (value: string) => string {
  return (value) => {
    if (!pattern.test(value)) throw new InvalidArgumentError(remedy)
    return value
  }
}
