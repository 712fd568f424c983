import { type Command, Option } from 'commander'
import { command, jsonOption, onDatabase } from './command.ts'
import { print, printDone, printJson, printResult } from './output.ts'
import type { Context, Session } from './session.ts'

export function migrateCommand(context: Context): Command {
  return command('migrate')
    .description('Bring the database up to date: tables, rules, roles and their passwords.')
    .addOption(jsonOption())
    .notes(`
Runs all migrations in an empty database, else the missing ones; running it again changes nothing.
DATABASE_URL is an administrator's: a superuser, or a role with CREATEROLE that owns the database.

Examples:
  studio-inventory migrate
  DATABASE_URL=postgresql://admin:secret@db.example.com/studio_inventory SECRET_KEY=… studio-inventory migrate`)
    .action(async (options: { json: boolean }) => {
      const { withDatabase } = await import('./session.ts')
      const { migrate } = await import('../migration/migrate.ts')
      const run = async ({ database, log }: Session) => {
        const migrated = await migrate(database.adminUrl, database.secretKey, log)
        const line = migrated.length === 0 ? 'The database is up to date.' : `Migrated: ${migrated.join(', ')}`
        printResult(options.json, { migrated }, line)
      }
      await withDatabase(context, run, true)
    })
}

export function demoCommand(context: Context): Command {
  return command('demo')
    .description('Create the demo studios, and print links and a request with a working token.')
    .addOption(jsonOption())
    .notes(`
Studios that exist, by name, are not changed, nor is anything else in the database. Photos are written to PHOTOS_DIR.

Examples:
  studio-inventory demo
  DATABASE_URL=postgresql://admin:secret@localhost/studio_inventory SECRET_KEY=… studio-inventory demo`)
    .action(
      onDatabase(context, async ({ config, database, log }, options: { json: boolean }) => {
        const { seedDemo } = await import('../demo/seed.ts')
        const { demoAccess } = await import('../demo/token.ts')
        const { greeting, offersDemoSignIn } = await import('../demo/prepare-demo.ts')
        const { createPool } = await import('../database/pool.ts')
        const made = await seedDemo({
          adminUrl: database.adminUrl,
          writerUrl: database.urlFor('studio_writer'),
          photosDir: config.photosDir,
        })
        if (options.json) return printJson({ made })
        printDone(made.length === 0 ? 'The demo studios already exist.' : `Made: ${made.join(', ')}.`)
        const api = createPool(database.urlFor('studio_api'), {
          applicationName: 'studio-inventory demo',
          size: 1,
          acquireTimeoutMs: config.acquireTimeoutMs,
          statementTimeoutMs: config.statementTimeoutMs,
          log,
        })
        try {
          const access = await demoAccess(config.dataDir, database.adminUrl, api)
          if (access !== null) print(greeting(access, config, { signIn: offersDemoSignIn(config) }))
        } finally {
          await api.close()
        }
      }),
    )
}

const roles = {
  api: 'studio_api',
  recorder: 'studio_recorder',
  writer: 'studio_writer',
  console: 'studio_console',
  graphql: 'studio_graphql',
} as const

export function urlCommand(context: Context): Command {
  return command('url')
    .description('Print a connection string to the database in use, for psql and BI tools.')
    .addOption(
      new Option('--as <role>', 'the administrator (owner) or a role of the service')
        .choices(['owner', ...Object.keys(roles)])
        .default('owner'),
    )
    .addOption(jsonOption())
    .notes(`
The connection string contains the password. The embedded server is reachable while serve runs.

Examples:
  psql "$(studio-inventory url)"
  psql "$(studio-inventory url --as api)"`)
    .action(
      onDatabase(context, async ({ database }, options: { as: 'owner' | keyof typeof roles; json: boolean }) => {
        const url = options.as === 'owner' ? database.adminUrl : database.urlFor(roles[options.as])
        if (options.json) return printJson({ role: options.as, url })
        print(url)
      }),
    )
}
