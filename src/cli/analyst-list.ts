import type { Command } from 'commander'
import { utc } from '../database/client.ts'
import { command, jsonOption, onDatabase } from './command.ts'
import { readable } from './output.ts'
import type { Context, OpenStudio } from './session.ts'
import { printList } from './table.ts'

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
    .action(
      onDatabase(context, async ({ asOwner, inStudio }, { studio, all, json }: Options) => {
        const listed = async ({ query, id = null }: Pick<OpenStudio, 'query'> & { id?: string | null }) =>
          query<Listed>(
            `select login::text, studio_name as studio, for_email as for, state, ${utc('created_at')} as created_at,
               created_by::text, ${utc('valid_until')} as valid_until, connections, sessions::integer,
               extract(epoch from statement_limit)::real as timeout
             from access.list_analysts($1)`,
            [id],
          )
        const logins = await (studio ? inStudio(studio, listed) : asOwner(listed))
        const known = logins.filter(({ state }) => all || state !== 'dropped')
        printList(json, known, 'There are no analysts.', columns, (login) => ({
          ...login,
          created_at: readable(login.created_at),
          valid_until: readable(login.valid_until),
          sessions: login.connections === null ? '-' : `${login.sessions} of ${login.connections}`,
          timeout: login.timeout === null ? '-' : `${login.timeout} s`,
        }))
      }),
    )
}

const columns = {
  login: { heading: 'LOGIN' },
  studio: { heading: 'STUDIO' },
  for: { heading: 'FOR' },
  state: { heading: 'STATE' },
  sessions: { heading: 'SESSIONS' },
  timeout: { heading: 'TIMEOUT', numeric: true },
  valid_until: { heading: 'VALID UNTIL' },
  created_at: { heading: 'CREATED' },
  created_by: { heading: 'BY' },
} as const
