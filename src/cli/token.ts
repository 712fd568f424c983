import type { Command } from 'commander'
import { utc } from '../database/client.ts'
import type { Transaction } from '../database/session.ts'
import { command, jsonOption } from './command.ts'
import { CommandError, unknown } from './failure.ts'
import { print, printDone, printJson, readable } from './output.ts'
import type { Context } from './session.ts'
import { printTable } from './table.ts'
import { tokenCreateCommand } from './token-create.ts'

export function tokenCommand(context: Context): Command {
  return command('token')
    .description('The API tokens of a studio.')
    .addCommand(tokenCreateCommand(context))
    .addCommand(tokenListCommand(context))
    .addCommand(tokenRevokeCommand(context))
    .addCommand(tokenActivityCommand(context))
}

/** A token of a studio as its list shows it; timestamps are RFC 3339 in UTC. */
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
  /** Where its requests may come from; null: anywhere. */
  addresses: string[] | null
}

function tokensOf(transaction: Transaction, studioId: string): Promise<ApiToken[]> {
  return transaction.query<ApiToken>(
    `select token_id as id, name, prefix, issued_by_email as issued_by, scope_email as scoped_to,
       ${utc('created_at')} as created_at, ${utc('last_used_at')} as last_used_at, ${utc('revoked_at')} as revoked_at,
       ${utc('expires_at')} as expires_at, expired, addresses
     from access.list_tokens($1)`,
    [studioId],
  )
}

/** Finds a studio's token by its id, its display prefix or its name. @throws CommandError when none or several fit */
async function findToken(transaction: Transaction, studioId: string, wanted: string): Promise<ApiToken> {
  const tokens = await tokensOf(transaction, studioId)
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

type ListOptions = { studio: string; json: boolean }

function tokenListCommand(context: Context): Command {
  return command('list')
    .description('List the tokens of a studio, newest first, revoked ones included.')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory token list --studio "Northlight Studios"
  studio-inventory token list --studio "Northlight Studios" --json`)
    .action(async (options: ListOptions) => {
      const { asOwner, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const tokens = await asOwner(database.adminUrl, async (transaction) =>
          tokensOf(transaction, await findStudio(transaction, options.studio)),
        )
        if (options.json) return printJson(tokens)
        if (tokens.length === 0) return print('The studio has no tokens.')
        const rows = tokens.map((token) => ({
          ...token,
          created_at: readable(token.created_at),
          last_used_at: readable(token.last_used_at, 'Never used'),
          revoked_at: readable(token.revoked_at),
          expires_at: token.expired ? `${readable(token.expires_at)} (expired)` : readable(token.expires_at, 'Never'),
          addresses: token.addresses?.join(' ') ?? 'Any',
        }))
        printTable(rows, {
          name: { heading: 'NAME', least: 12 },
          prefix: { heading: 'PREFIX' },
          issued_by: { heading: 'ISSUED BY', least: 12 },
          scoped_to: { heading: 'SCOPED TO', least: 12 },
          created_at: { heading: 'CREATED' },
          last_used_at: { heading: 'LAST USED' },
          revoked_at: { heading: 'REVOKED' },
          expires_at: { heading: 'EXPIRES' },
          addresses: { heading: 'ADDRESSES', least: 12 },
          id: { heading: 'ID' },
        })
      })
    })
}

type RevokeOptions = { studio: string; by?: string; json: boolean }

function tokenRevokeCommand(context: Context): Command {
  return command('revoke')
    .description('Revoke a token: the next request with it is refused. Revoking again changes nothing.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .option('--by <email>', "the owner or admin who revokes it (default: the studio's owner)")
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory token revoke --studio "Northlight Studios" "Accounting"
  studio-inventory token revoke --studio "Northlight Studios" svc_studio_x7Qa --by tomas@northlight.example`)
    .action(async (wanted: string, options: RevokeOptions) => {
      const { asOwner, doerOf, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const revoked = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const { id, name, prefix } = await findToken(transaction, studioId, wanted)
          const by = await doerOf(transaction, studioId, options.by)
          const [row] = await transaction.query<{ at: string }>(
            `select ${utc('revoked_at')} as at from access.revoke_token($1, $2, $3)`,
            [studioId, id, by],
          )
          return { id, name, prefix, revoked_at: row?.at ?? null }
        })
        if (options.json) return printJson(revoked)
        printDone(`Revoked: ${revoked.name} (${revoked.prefix}…), ${readable(revoked.revoked_at)}`)
      })
    })
}

type ActivityOptions = { studio: string; json: boolean }
type Request = { at: string; endpoint: string; status: number; duration_ms: number }

function tokenActivityCommand(context: Context): Command {
  return command('activity')
    .description('Show the last 100 requests of a token, newest first.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory token activity --studio "Northlight Studios" "Accounting"
  studio-inventory token activity --studio "Northlight Studios" svc_studio_x7Qa --json`)
    .action(async (wanted: string, options: ActivityOptions) => {
      const { asOwner, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const requests = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = await findStudio(transaction, options.studio)
          const { id } = await findToken(transaction, studioId, wanted)
          return transaction.query<Request>(
            `select ${utc('at')} as at, endpoint, status, duration_ms from access.token_activity($1, $2)`,
            [studioId, id],
          )
        })
        if (options.json) return printJson(requests)
        if (requests.length === 0) return print('Never used.')
        const rows = requests.map((request) => ({
          ...request,
          at: readable(request.at),
          duration_ms: request.duration_ms.toFixed(1),
        }))
        printTable(rows, {
          at: { heading: 'TIME' },
          endpoint: { heading: 'ENDPOINT', least: 20 },
          status: { heading: 'STATUS' },
          duration_ms: { heading: 'MS', numeric: true },
        })
      })
    })
}
