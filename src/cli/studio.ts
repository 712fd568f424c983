import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { type ActorOptions, command, jsonOption, onDatabase } from './command.ts'
import { print, printJson, printList, printResult, remark } from './output.ts'
import type { Context } from './session.ts'
import {
  studioCategoryCommand,
  studioCurrencyCommand,
  studioFinancialYearCommand,
  studioFirstPeriodCommand,
  studioTimeZoneCommand,
} from './studio-calendar.ts'
import { studioExportCommand } from './studio-export.ts'
import { studioWithdrawMarketValueCommand } from './studio-market-value.ts'
import { studioPlanCommand } from './studio-plan.ts'
import { studioArchiveCommand, studioRemoveCommand } from './studio-removal.ts'

export function studioCommand(context: Context): Command {
  return command('studio')
    .description('The studios of this database.')
    .addCommand(studioCreateCommand(context))
    .addCommand(studioListCommand(context))
    .addCommand(studioRenameCommand(context))
    .addCommand(studioPlanCommand(context))
    .addCommand(studioTimeZoneCommand(context))
    .addCommand(studioCurrencyCommand(context))
    .addCommand(studioFinancialYearCommand(context))
    .addCommand(studioFirstPeriodCommand(context))
    .addCommand(studioCategoryCommand(context))
    .addCommand(studioWithdrawMarketValueCommand(context))
    .addCommand(studioPublicApiCommand(context))
    .addCommand(studioExportCommand(context))
    .addCommand(studioArchiveCommand(context))
    .addCommand(studioRemoveCommand(context))
}

type CreateOptions = {
  ownerEmail: string
  ownerName?: string
  plan: string
  timezone: string
  currency: string
  json: boolean
}

function studioCreateCommand(context: Context): Command {
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
    .notes(`
The id is the only line on standard output.

Examples:
  studio-inventory studio create "Attic Sound" --owner-email olga@attic.example
  studio-inventory studio create "Attic Sound" --owner-email olga@attic.example --timezone Europe/Berlin --plan pro`)
    .action(
      onDatabase(context, async ({ asOwner }, name: string, options: CreateOptions) => {
        const { ownerEmail, ownerName = '', plan, timezone, currency, json } = options
        const [made] = await asOwner(({ query }) =>
          query<{ id: string }>('select access.create_studio($1, $2, $3, $4, $5, $6) as id', [
            ...[name, ownerEmail, ownerName, plan, timezone, currency],
          ]),
        )
        if (json) return printJson({ id: made?.id, name, owner_email: ownerEmail, plan, timezone, currency })
        print(made?.id ?? '')
        remark(`A token to read it: studio-inventory token create --studio ${made?.id} --name "First token"`)
      }),
    )
}

function matching(pattern: RegExp, remedy: string): (value: string) => string {
  return (value) => {
    if (!pattern.test(value)) throw new InvalidArgumentError(remedy)
    return value
  }
}

type Studio = {
  id: string
  name: string
  plan: string | null
  status: string | null
  timezone: string
  archived: boolean
}

function studioListCommand(context: Context): Command {
  return command('list')
    .description('List the studios by name, with their plans.')
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory studio list
  studio-inventory studio list --json`)
    .action(
      onDatabase(context, async ({ asOwner }, { json }: { json: boolean }) => {
        const studios = await asOwner(({ query }) =>
          query<Studio>(
            `select s.id, s.name, p.plan, p.status, s.timezone, coalesce(p.archived_at is not null, false) as archived
             from app.studios s left join access.subscriptions p on p.studio_id = s.id order by s.name, s.id`,
          ),
        )
        const columns = {
          name: { heading: 'NAME' },
          plan: { heading: 'PLAN' },
          status: { heading: 'STATUS' },
          timezone: { heading: 'TIME ZONE' },
          id: { heading: 'ID' },
        }
        printList(json, studios, 'There are no studios.', columns, (studio) => ({
          ...studio,
          status: studio.archived ? 'archived' : studio.status,
        }))
      }),
    )
}

function studioRenameCommand(context: Context): Command {
  return command('rename')
    .description('Rename a studio. Its id, tokens and addresses do not change.')
    .argument('<studio>', 'its name or id')
    .argument('<new-name>', 'its new name, up to 200 characters')
    .option('--by <email>', "the owner or admin named in the audit log (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory studio rename "Northlight Studios" "Northlight Sound"`)
    .action(
      onDatabase(context, async ({ inStudio }, studio: string, name: string, { by, json }: ActorOptions) => {
        const studio_id = await inStudio(studio, async ({ query, id, doer }) => {
          await query('select access.rename_studio($1, $2, $3)', [id, name, await doer(by)])
          return id
        })
        printResult(json, { studio_id, name }, `Renamed: ${name}`)
      }),
    )
}

function studioPublicApiCommand(context: Context): Command {
  return command('public-api')
    .description(
      'Turn the public API on or off for a studio. When off, the service creates and accepts no tokens, and the console has no tab for them.',
    )
    .argument('<studio>', 'its name or id')
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .addOption(jsonOption())
    .notes(`
It takes effect with the next request; tokens stay and work again when it is turned on.

Examples:
  studio-inventory studio public-api "Northlight Studios" off`)
    .action(
      onDatabase(context, async ({ inStudio }, studio: string, state: 'on' | 'off', { json }: { json: boolean }) => {
        const isOn = state === 'on'
        const studio_id = await inStudio(studio, async ({ query, id }) => {
          await query('select access.set_public_api($1, $2)', [id, isOn])
          return id
        })
        printResult(json, { studio_id, public_api: isOn }, `The public API is ${state}.`)
      }),
    )
}
