import type { Command } from 'commander'
import { utc } from '../../database/client.ts'
import { command, jsonOption } from '../command.ts'
import { print, printJson, readable } from '../output.ts'
import type { Context } from '../session.ts'
import { printTable } from '../table.ts'

type Options = { studio: string; json: boolean }
type Request = { at: string; endpoint: string; status: number; duration_ms: number }

/** `token activity`: the last 100 requests of a token. */
export function tokenActivityCommand(context: Context): Command {
  return command('activity')
    .description('Show the last 100 requests of a token, newest first.')
    .argument('<token>', 'its id, display prefix or name')
    .requiredOption('--studio <name-or-id>', 'the studio')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory token activity --studio "Northlight Studios" "Accounting"
  studio-inventory token activity --studio "Northlight Studios" svc_studio_x7Qa --json`,
    )
    .action(async (wanted: string, options: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { findToken } = await import('./find.ts')
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
