import { type Command, Option } from 'commander'
import { utc } from '../database/client.ts'
import { firstOf } from '../database/roles.ts'
import { command, jsonOption, onDatabase } from './command.ts'
import { print, printDone, printJson, printList, printResult, readable } from './output.ts'
import type { Context, Session } from './session.ts'

export function migrateCommand(context: Context): Command {
  return command('migrate')
    .description('Bring the database up to date: tables, rules, roles and their passwords.')
    .option('--rotate-secret', 'give the logins the passwords of another SECRET_KEY than they have', false)
    .addOption(jsonOption())
    .notes(`
Runs all migrations in an empty database, else the missing ones; running it again changes nothing.
With another SECRET_KEY than the logins have it changes nothing and fails, except with --rotate-secret.
DATABASE_URL is an administrator's: a superuser, or a role with CREATEROLE that owns the database.

Examples:
  studio-inventory migrate
  DATABASE_URL=postgresql://admin:secret@db.example.com/studio_inventory SECRET_KEY=… studio-inventory migrate`)
    .action(async (options: { json: boolean; rotateSecret: boolean }) => {
      const { withDatabase } = await import('./session.ts')
      const { migrate } = await import('../migration/migrate.ts')
      const run = async ({ config, database, log }: Session) => {
        const { adminUrl, secretKey, embedded } = database
        // Nobody else uses the embedded server.
        const otherKey = options.rotateSecret || embedded ? 'rotate' : 'refuse'
        const { analystsOnOpenServer } = config
        const migrated = await migrate(adminUrl, secretKey, log, undefined, undefined, otherKey, analystsOnOpenServer)
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

/** A job as the database knows it; times are RFC 3339 in UTC, null for what never was. */
type KeptJob = {
  name: string
  every_seconds: number
  succeeded_at: string | null
  seconds: number | null
  rows: number | null
  failed_at: string | null
  failure: string | null
}

export function jobsCommand(context: Context): Command {
  return command('jobs')
    .description('List the jobs of the service: when each last succeeded, how long it took, and why it last failed.')
    .addOption(jsonOption())
    .notes(`
A job that goes as before is noted once a minute.

Examples:
  studio-inventory jobs`)
    .action(
      onDatabase(context, async ({ asOwner }, options: { json: boolean }) => {
        const jobs = await asOwner(({ query }) =>
          query<KeptJob>(
            `select name, extract(epoch from every)::int as every_seconds, ${utc('succeeded_at')} as succeeded_at,
               extract(epoch from took)::float as seconds, rows::int, ${utc('failed_at')} as failed_at, failure
             from access.jobs order by name`,
          ),
        )
        const columns = {
          name: { heading: 'JOB' },
          every: { heading: 'EVERY' },
          succeeded: { heading: 'LAST SUCCESS' },
          took: { heading: 'TOOK', numeric: true as const },
          rows: { heading: 'ROWS', numeric: true as const },
          failed: { heading: 'LAST FAILURE' },
          failure: { heading: 'WHY' },
        }
        printList(options.json, jobs, 'No service has run on this database yet.', columns, (job) => ({
          ...{ name: job.name, every: `${job.every_seconds} s`, succeeded: readable(job.succeeded_at, 'never') },
          ...{ took: job.seconds === null ? null : `${job.seconds.toFixed(2)} s`, rows: job.rows },
          ...{ failed: readable(job.failed_at), failure: job.failure },
        }))
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
        const url = options.as === 'owner' ? database.adminUrl : firstOf(database.urlFor(roles[options.as]))
        if (options.json) return printJson({ role: options.as, url })
        print(url)
      }),
    )
}
