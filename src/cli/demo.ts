import type { Command } from 'commander'
import { command, jsonOption } from './command.ts'
import { print, printDone, printJson } from './output.ts'
import type { Context } from './session.ts'

/** `demo`: makes the demo studios in the database in use and prints how to try them. */
export function demoCommand(context: Context): Command {
  return command('demo')
    .description('Create the demo studios, and print a token and curl lines to try.')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Studios that exist, by name, are not changed, nor is anything else in the database. Photos are written to PHOTOS_DIR.

Examples:
  studio-inventory demo
  DATABASE_URL=postgresql://admin:secret@localhost/studio_inventory SECRET_KEY=… studio-inventory demo`,
    )
    .action(async (options: { json: boolean }) => {
      const { withDatabase } = await import('./session.ts')
      const { seedDemo } = await import('../dev/demo/seed.ts')
      const { demoGreeting } = await import('../dev/demo/greeting.ts')
      const { createPool } = await import('../database/pool.ts')
      await withDatabase(context, async ({ config, database, log }) => {
        const made = await seedDemo({
          adminUrl: database.adminUrl,
          writerUrl: database.urlFor('studio_writer'),
          photosDir: config.photosDir,
        })
        if (options.json) return printJson({ made })
        printDone(made.length === 0 ? 'The demo studios exist already.' : `Made: ${made.join(', ')}.`)
        const api = createPool(database.urlFor('studio_api'), {
          applicationName: 'studio-inventory demo',
          size: 1,
          acquireTimeoutMs: config.acquireTimeoutMs,
          statementTimeoutMs: config.statementTimeoutMs,
          log,
        })
        try {
          const lines = await demoGreeting({ config, adminUrl: database.adminUrl, api })
          if (lines !== null) print(lines)
        } finally {
          await api.close()
        }
      })
    })
}
