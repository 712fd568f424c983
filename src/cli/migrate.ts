import type { Command } from 'commander'
import { command, jsonOption } from './command.ts'
import { printDone, printJson } from './output.ts'
import type { Context } from './session.ts'

/** `migrate`: brings the database in use to the state of this release. */
export function migrateCommand(context: Context): Command {
  return command('migrate')
    .description('Bring the database up to date: tables, rules, roles and their passwords.')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Runs all migrations in an empty database, else the missing ones; running it again changes nothing.
DATABASE_URL is an administrator's: a superuser, or a role with CREATEROLE that owns the database.

Examples:
  studio-inventory migrate
  DATABASE_URL=postgresql://admin:secret@db.example.com/studio_inventory SECRET_KEY=… studio-inventory migrate`,
    )
    .action(async (options: { json: boolean }) => {
      const { withUnmigratedDatabase } = await import('./session.ts')
      const { migrate } = await import('../database/migrate.ts')
      await withUnmigratedDatabase(context, async ({ database, log }) => {
        const migrated = await migrate(database.adminUrl, database.secretKey, log)
        if (options.json) return printJson({ migrated })
        printDone(migrated.length === 0 ? 'The database is up to date.' : `Migrated: ${migrated.join(', ')}`)
      })
    })
}
