import type { Command } from 'commander'
import { utc } from '../database/client.ts'
import { command, jsonOption } from './command.ts'
import { print, printJson, readable } from './output.ts'
import type { Context } from './session.ts'
import { printTable } from './table.ts'

type Options = { studio?: string; all: boolean; json: boolean }

type Listed = {
  login: string
  studio: string
  for: string | null
  state: string
  created_at: string
  created_by: string
  valid_until: string | null
  connections: number | null
  sessions: number
  timeout: number | null
}

export function analystListCommand(context: Context): Command {
  return command('list')
    .description("List analysts' logins, newest first.")
    .option('--studio <name-or-id>', 'only those of this studio')
    .option('--all', 'include dropped ones, which the log of the server may still name', false)
    .addOption(jsonOption())
    .notes(`
State: active; expired (it cannot log in); unmapped (it sees nothing: its member has left, or a drop was not completed);
missing (somebody dropped the role but not the mapping); dropped.

Examples:
  studio-inventory analyst list
  studio-inventory analyst list --studio "Northlight Studios" --all --json`)
    .action(async (options: Options) => {
      const { asOwner, findStudio, withDatabase } = await import('./session.ts')
      await withDatabase(context, async ({ database }) => {
        const logins = await asOwner(database.adminUrl, async (transaction) => {
          const studioId = options.studio ? await findStudio(transaction, options.studio) : null
          return transaction.query<Listed>(
            `select login::text, studio_name as studio, for_email as for, state, ${utc('created_at')} as created_at,
               created_by::text, ${utc('valid_until')} as valid_until, connections, sessions::integer,
               extract(epoch from statement_limit)::real as timeout
             from access.list_analysts($1)`,
            [studioId],
          )
        })
        show(logins, options)
      })
    })
}

function show(known: Listed[], options: Options): void {
  const logins = known.filter(({ state }) => options.all || state !== 'dropped')
  if (options.json) {
    printJson(logins)
    return
  }
  if (logins.length === 0) {
    print('There are no analysts.')
    return
  }
  const rows = logins.map((login) => ({
    ...login,
    created_at: readable(login.created_at),
    valid_until: readable(login.valid_until),
    sessions: login.connections === null ? '-' : `${login.sessions} of ${login.connections}`,
    timeout: login.timeout === null ? '-' : `${login.timeout} s`,
  }))
  printTable(rows, {
    login: { heading: 'LOGIN' },
    studio: { heading: 'STUDIO', least: 12 },
    for: { heading: 'FOR', least: 12 },
    state: { heading: 'STATE' },
    sessions: { heading: 'SESSIONS' },
    timeout: { heading: 'TIMEOUT', numeric: true },
    valid_until: { heading: 'VALID UNTIL' },
    created_at: { heading: 'CREATED' },
    created_by: { heading: 'BY', least: 8 },
  })
}
