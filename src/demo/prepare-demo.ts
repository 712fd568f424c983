import type { Config } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Database } from '../database/roles.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { migrate } from '../schema/migrate.ts'

/** Whether the demo users can sign in: with the embedded server and no issuer. */
export function signInPromised({ console, databaseUrl }: Pick<Config, 'console' | 'databaseUrl'>): boolean {
  return console.enabled && console.issuers.length === 0 && databaseUrl === undefined
}

/** Migrates the embedded database, and fills a new one with demo data. */
export async function prepareEmbedded(config: Config, database: Database, log: Logger): Promise<void> {
  const { demoWasMade } = await import('./token.ts')
  const wasMade = await demoWasMade(config.dataDir)
  // Loads while PostgreSQL migrates.
  const loading = wasMade ? undefined : import('./seed.ts')
  const migrated = await migrate(database.adminUrl, database.secretKey, log)
  const isNew = migrated.some((name) => name.startsWith('000001-'))
  if (wasMade && !isNew) return
  const { seedDemo } = await (loading ?? import('./seed.ts'))
  const { adminUrl } = database
  const made = await seedDemo({ adminUrl, writerUrl: database.urlFor('studio_writer'), photosDir: config.photosDir })
  log.info({ studios: made }, 'made demo data')
}

/** Prints how to try the API; failing is fine. @returns whether there is a demo */
export async function greet(config: Config, { adminUrl }: Database, api: Pool, log: Logger): Promise<boolean> {
  try {
    const { demoGreeting } = await import('./greeting.ts')
    const lines = await demoGreeting(config, signInPromised(config), adminUrl, api)
    if (lines !== null) process.stdout.write(`${lines}\n`)
    return lines !== null
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'there is no demo token to show')
    return false
  }
}

/** Prints how to ask in GraphQL, which starts a little later than the API. */
export async function greetGraphql(config: Config, port: number): Promise<void> {
  const { graphqlGreeting } = await import('./greeting.ts')
  process.stdout.write(`${graphqlGreeting(config, port)}\n`)
}

/** The start of a command on the demo's data, for samples. Its arguments go on the next line. */
export async function commandOfDemo(config: Config): Promise<string> {
  const { commandLine } = await import('./greeting.ts')
  return `${commandLine(config)} \\\n `
}
