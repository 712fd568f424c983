import type { Command } from 'commander'
import { together } from './cells-output.ts'
import { command, jsonOption } from './command.ts'
import { printDone, printJson } from './output.ts'
import type { Context, Session } from './session.ts'

/** `migrate`: brings the database in use to the state of this release. */
export function migrateCommand(context: Context): Command {
  return command('migrate')
    .description('Bring the database up to date: tables, rules, roles and their passwords.')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Runs all migrations in an empty database, else the missing ones; running it again changes nothing.
DATABASE_URL is an administrator's: a superuser, or a role with CREATEROLE that owns the database. With CELLS_FILE all cells are
migrated, one after the other; the exit status is 1 when one of them failed.

Examples:
  studio-inventory migrate
  DATABASE_URL=postgresql://admin:secret@db.example.com/studio_inventory SECRET_KEY=… studio-inventory migrate`,
    )
    .action(async (options: { json: boolean }) => {
      const { inUnmigratedCell } = await import('./session.ts')
      const { inEachCell } = await import('./cells.ts')
      const { migrate } = await import('../database/migrate.ts')
      const migrateOne = async ({ database, log, cell }: Session) => {
        const migrated = await migrate(database.adminUrl, database.secretKey, log)
        const done = migrated.length === 0 ? 'The database is up to date.' : `Migrated: ${migrated.join(', ')}`
        if (!options.json) printDone(cell === undefined ? done : `${cell}: ${done}`)
        return { migrated }
      }
      const done = await inEachCell(context, migrateOne, inUnmigratedCell)
      if (options.json) printJson(together(done))
    })
}
