import { type Command, InvalidArgumentError } from 'commander'
import { canonicalInstant, isDay } from '../domain/dates.ts'
import { BadAddress, readAddresses } from '../tokens/token-limits.ts'
import { command, jsonOption, onDatabase } from './command.ts'
import { print, printJson, remark } from './output.ts'
import type { Context } from './session.ts'

type Options = {
  studio: string
  name: string
  issuer?: string
  scopeTo?: string
  expires?: string
  address?: string[]
  json: boolean
}

export function tokenCreateCommand(context: Context): Command {
  return command('create')
    .description('Create a token and print it once. The database stores only its digest.')
    .requiredOption('--studio <name-or-id>', 'the studio whose data it reads')
    .requiredOption('--name <text>', 'what it is for, up to 100 characters')
    .option('--issuer <email>', "the owner or admin who issues it (default: the studio's owner)")
    .option('--scope-to <email>', 'the team member it acts as (default: its issuer)')
    .option(
      '--expires <when>',
      "the last day on which it works, on the studio's calendar, or an instant such as 2027-01-31T18:00Z (default: never)",
      untilWhen,
    )
    .option(
      '--address <address>',
      'an allowed IP address or network (CIDR); can be given several times (default: any address)',
      addAddresses,
    )
    .addOption(jsonOption())
    .notes(`
The token is the only line on standard output.

Examples:
  studio-inventory token create --studio "Northlight Studios" --name "Accounting"
  studio-inventory token create --studio "Northlight Studios" --name "BI" --scope-to priya@northlight.example
  studio-inventory token create --studio "Northlight Studios" --name "Audit" --expires 2027-03-31
  studio-inventory token create --studio "Northlight Studios" --name "Office" --address 203.0.113.0/24 --address 2001:db8::/48
  TOKEN=$(studio-inventory token create --studio "Northlight Studios" --name "Script")`)
    .action(
      onDatabase(context, async ({ inStudio }, options: Options) => {
        const { issueToken } = await import('../tokens/issue-token.ts')
        const issued = await inStudio(options.studio, async (open) => {
          const issuedBy = await open.doer(options.issuer)
          const scopeUserId = options.scopeTo ? await open.doer(options.scopeTo) : null
          const { name, expires = null, address: addresses = null } = options
          return issueToken(open, { studioId: open.id, issuedBy, name, scopeUserId, expires, addresses })
        })
        if (options.json) return printJson(issued)
        print(issued.token)
        remark(
          `Save it now: it is shown only once. To revoke it: token revoke --studio "${options.studio}" ${issued.id}`,
        )
      }),
    )
}

function untilWhen(text: string): string {
  const instant = isDay(text) ? text : text.includes('T') ? canonicalInstant(text) : null
  if (instant === null)
    throw new InvalidArgumentError('Write a day such as 2027-01-31 or an instant such as 2027-01-31T18:00Z.')
  return instant
}

function addAddresses(text: string, before: string[] = []): string[] {
  try {
    return [...before, ...(readAddresses(text) ?? [])]
  } catch (error) {
    if (error instanceof BadAddress) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}
