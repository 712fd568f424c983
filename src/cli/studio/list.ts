import type { Command } from 'commander'
import { command, jsonOption } from '../command.ts'
import { print, printJson } from '../output.ts'
import type { Context } from '../session.ts'
import { printTable } from '../table.ts'

type Studio = {
  id: string
  name: string
  plan: string | null
  status: string | null
  timezone: string
  archived: boolean
}

/** `studio list`: every studio with its plan. */
export function studioListCommand(context: Context): Command {
  return command('list')
    .description('List the studios by name, with their plans.')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  studio-inventory studio list
  studio-inventory studio list --json`,
    )
    .action(async (options: { json: boolean }) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      await withDatabase(context, async ({ database }) => {
        const studios = await asOwner(database.adminUrl, (transaction) =>
          transaction.query<Studio>(
            `select s.id, s.name, p.plan, p.status, s.timezone, coalesce(p.archived_at is not null, false) as archived
             from app.studios s left join access.subscriptions p on p.studio_id = s.id order by s.name, s.id`,
          ),
        )
        if (options.json) return printJson(studios)
        if (studios.length === 0) return print('There are no studios.')
        const rows = studios.map((studio) => ({ ...studio, status: studio.archived ? 'archived' : studio.status }))
        printTable(rows, {
          name: { heading: 'NAME', least: 12 },
          plan: { heading: 'PLAN' },
          status: { heading: 'STATUS' },
          timezone: { heading: 'TIME ZONE', least: 9 },
          id: { heading: 'ID' },
        })
      })
    })
}
