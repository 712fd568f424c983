import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Database } from '../database/roles.ts'
import { messageOf, quoted } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { migrate } from '../migration/migrate.ts'
import type { DemoAccess } from './token.ts'

/** Whether the demo users can sign in: with the embedded server and no issuer. */
export function offersDemoSignIn({ console, databaseUrl }: Pick<Config, 'console' | 'databaseUrl'>): boolean {
  return console.enabled && console.issuers.length === 0 && databaseUrl === undefined
}

/** Migrates the embedded database, and fills a new one with demo data. */
export async function prepareEmbedded(config: Config, database: Database, log: Logger): Promise<void> {
  const { demoWasMade } = await import('./token.ts')
  const wasMade = await demoWasMade(config.dataDir)
  // The modules load while PostgreSQL migrates.
  const loading = wasMade ? undefined : import('./seed.ts')
  const migrated = await migrate(database.adminUrl, database.secretKey, log)
  const isNew = migrated.includes('000001.sql')
  if (wasMade && !isNew) return
  const { seedDemo } = await (loading ?? import('./seed.ts'))
  const { adminUrl } = database
  const made = await seedDemo({ adminUrl, writerUrl: database.urlFor('studio_writer'), photosDir: config.photosDir })
  log.info({ studios: made }, 'made demo data')
}

/** Prints how to try the API. A failure does not matter.
 * @param access what somebody needs to try it; null: there is no demo */
export async function greet(
  config: Config,
  access: Promise<DemoAccess | null>,
  graphql: string | undefined,
  log: Logger,
): Promise<void> {
  try {
    const found = await access
    if (found === null) return
    process.stdout.write(`${greeting(found, config, { signIn: offersDemoSignIn(config), graphql })}\n`)
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'there is no demo token to show')
  }
}

/** The start of a command on the demo's data, for samples: short, for the folder of the service. */
export function commandOfDemo({ dataDir, secretKey }: Pick<Config, 'dataDir' | 'secretKey'>): string {
  const secret = secretKey === undefined ? '' : 'SECRET_KEY="$SECRET_KEY" '
  const folder = dataDir === resolve('.data') ? '' : `DATA_DIR=${quoted(dataDir)} `
  return `${secret}${folder}npx studio-inventory`
}

/** What somebody needs to try the demo's API. The first call finds or makes it, and later ones
 * have the same while its token works; null: it was revoked, and the next start makes another. */
export function rememberAccess(
  { dataDir }: Pick<Config, 'dataDir'>,
  { adminUrl }: Pick<Database, 'adminUrl'>,
  api: Pool,
): () => Promise<DemoAccess | null> {
  let known: Promise<DemoAccess | null> | undefined
  return async () => {
    const { demoAccess, tokenWorks } = await import('./token.ts')
    known ??= demoAccess(dataDir, adminUrl, api)
    const access = await known
    return access && (await tokenWorks(access.token, api)) ? access : null
  }
}

/** Where to go, one request, and where the token is. */
export function greeting(
  { studio, token }: DemoAccess,
  { publicUrl, dataDir }: Pick<Config, 'publicUrl' | 'dataDir'>,
  { signIn, graphql }: { signIn: boolean; graphql?: string | undefined },
): string {
  const links = [
    ...(signIn ? [['Console', `${publicUrl}/console`, 'sign in as a person of the demo, without a password']] : []),
    ['Reference', `${publicUrl}/docs`, 'every endpoint, with a form to try it'],
    ...(graphql === undefined ? [] : [['GraphQL', graphql, 'sums and groups, for analysts']]),
  ]
  const width = Math.max(...links.map(([, url = '']) => url.length))
  return [
    '',
    `Studio Inventory is ready, with the demo data of ${studio}.`,
    '',
    ...links.map(([name = '', url = '', about]) => `  ${name.padEnd(9)}  ${url.padEnd(width)}  ${about}`),
    '',
    'The first five items:',
    `curl -H 'Authorization: Bearer ${token}' '${publicUrl}/v1/items?per_page=5'`,
    '',
    `The token is also in ${join(dataDir, 'demo.json')}.`,
    '',
  ].join('\n')
}
