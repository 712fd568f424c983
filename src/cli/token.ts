import { type Command, InvalidArgumentError } from 'commander'
import { utc } from '../database/client.ts'
import { canonicalInstant, isDay } from '../domain/dates.ts'
import { BadAddress, readAddresses } from '../tokens/token-limits.ts'
import { type ActorOptions, command, jsonOption, onDatabase } from './command.ts'
import { CommandError, unknown } from './failure.ts'
import { print, printJson, printList, printResult, readable, remark } from './output.ts'
import type { Context, OpenStudio } from './session.ts'

export function tokenCommand(context: Context): Command {
  return command('token')
    .description('The API tokens of a studio.')
    .addCommand(tokenCreateCommand(context))
    .addCommand(tokenListCommand(context))
    .addCommand(tokenRevokeCommand(context))
}

/** A token in a studio's list. Timestamps are RFC 3339 in UTC. */
type ApiToken = {
  id: string
  name: string
  prefix: string
  issued_by: string
  scoped_to: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  expires_at: string | null
  expired: boolean
  /** Where its requests may come from; null: any address. */
  addresses: string[] | null
}

function tokensOf({ query, id }: OpenStudio): Promise<ApiToken[]> {
  return query<ApiToken>(
    `select token_id as id, name, prefix, issued_by_email as issued_by, scope_email as scoped_to,
       ${utc('created_at')} as created_at, ${utc('last_used_at')} as last_used_at, ${utc('revoked_at')} as revoked_at,
       ${utc('expires_at')} as expires_at, expired, addresses
     from access.list_tokens($1)`,
    [id],
  )
}

/** Finds a studio's token by id, prefix or name. @throws CommandError for none or several */
async function findToken(studio: OpenStudio, wanted: string): Promise<ApiToken> {
  const tokens = await tokensOf(studio)
  const fitting = tokens.filter(({ id, prefix, name }) => [id, prefix, name].includes(wanted))
  const [found, ...others] = fitting
  if (!found) {
    const names = tokens.filter((token) => token.revoked_at === null)
    throw unknown('the studio has no such token', wanted, names, 'studio-inventory token list --studio …')
  }
  if (others.length > 0) {
    throw new CommandError(
      `${fitting.length} tokens match '${wanted}'`,
      `Give the id of one: ${fitting.map(({ id }) => id).join(', ')}`,
    )
  }
  return found
}

type InStudio = ActorOptions & { studio: string }

function tokenListCommand(context: Context): Command {
  return command('list')
    .description('List the tokens of a studio, newest first, revoked ones included.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory token list --studio "Northlight Studios"
  studio-inventory token list --studio "Northlight Studios" --json`)
    .action(
      onDatabase(context, async ({ inStudio }, { studio, json }: InStudio) => {
        const columns = {
          name: { heading: 'NAME' },
          prefix: { heading: 'PREFIX' },
          issued_by: { heading: 'ISSUED BY' },
          scoped_to: { heading: 'SCOPED TO' },
          created_at: { heading: 'CREATED' },
          last_used_at: { heading: 'LAST USED' },
          revoked_at: { heading: 'REVOKED' },
          expires_at: { heading: 'EXPIRES' },
          addresses: { heading: 'ADDRESSES' },
          id: { heading: 'ID' },
        }
        printList(json, await inStudio(studio, tokensOf), 'The studio has no tokens.', columns, (token) => ({
          ...token,
          created_at: readable(token.created_at),
          last_used_at: readable(token.last_used_at, 'Never used'),
          revoked_at: readable(token.revoked_at),
          expires_at: token.expired ? `${readable(token.expires_at)} (expired)` : readable(token.expires_at, 'Never'),
          addresses: token.addresses?.join(' ') ?? 'Any',
        }))
      }),
    )
}

function tokenRevokeCommand(context: Context): Command {
  return command('revoke')
    .description('Revoke a token. It stops working immediately. Revoking again changes nothing.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin who revokes it (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory token revoke --studio "Northlight Studios" "Accounting"
  studio-inventory token revoke --studio "Northlight Studios" svc_studio_x7Qa --by tomas@northlight.example`)
    .action(
      onDatabase(context, async ({ inStudio }, wanted: string, { studio, by, json }: InStudio) => {
        const revoked = await inStudio(studio, async (open) => {
          const { id, name, prefix } = await findToken(open, wanted)
          const [row] = await open.query<{ at: string }>(
            `select ${utc('revoked_at')} as at from access.revoke_token($1, $2, $3)`,
            [open.id, id, await open.doer(by)],
          )
          return { id, name, prefix, revoked_at: row?.at ?? null }
        })
        printResult(json, revoked, `Revoked: ${revoked.name} (${revoked.prefix}…), ${readable(revoked.revoked_at)}`)
      }),
    )
}

type CreateOptions = {
  studio: string
  name: string
  issuer?: string
  scopeTo?: string
  expires?: string
  address?: string[]
  json: boolean
}

function tokenCreateCommand(context: Context): Command {
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
      onDatabase(context, async ({ inStudio }, options: CreateOptions) => {
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
