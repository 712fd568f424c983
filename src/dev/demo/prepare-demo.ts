import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import type { Pool } from '../../database/pool.ts'
import { asOwner } from '../../database/session.ts'
import { messageOf } from '../../domain/error.ts'
import type { Logger } from '../../observability/log.ts'

/** Brings the embedded database up to date, and fills a new one with demo data. */
export async function prepareEmbedded(config: Config, database: Database, log: Logger): Promise<void> {
  const { demoWasMade } = await import('./token.ts')
  const migrated = await migrate(database.adminUrl, database.secretKey, log)
  const isNew = migrated.includes('000001.sql')
  if (!isNew && (await demoWasMade(config.dataDir))) return
  const { seedDemo } = await import('./seed.ts')
  const { adminUrl } = database
  const made = await seedDemo({ adminUrl, writerUrl: database.urlFor('studio_writer'), photosDir: config.photosDir })
  log.info({ studios: made }, 'made demo data')
}

/** Prints how to try the API. Not being able to is no reason to stop. */
export async function greet(
  config: Config,
  { adminUrl }: Database,
  api: Pool,
  graphqlPort: number | undefined,
  log: Logger,
): Promise<void> {
  try {
    const { demoGreeting } = await import('./greeting.ts')
    const lines = await demoGreeting({ config, adminUrl, api, graphqlPort })
    if (lines !== null) process.stdout.write(`${lines}\n`)
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'there is no demo token to show')
  }
}

/** How the command line is started on the data of the demo, for samples: what follows it is on a line of its own. */
export async function commandOfDemo(config: Config): Promise<string> {
  const { commandLine } = await import('./greeting.ts')
  return `${commandLine(config)} \\\n `
}

/** Whose identity the page of GraphQL uses in the demo, the owner of its first studio, and how the command line is started there. */
export async function demoOfGraphql(config: Config, { adminUrl }: Database) {
  const { demoStudios } = await import('./studios/index.ts')
  const [{ name: studio }] = demoStudios
  const [found] = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ studioId: string; userId: string; name: string }>(
      `select s.id as "studioId", u.id as "userId", access.display_name(u, m) as name
       from app.studios s join access.members m on m.studio_id = s.id and m.user_id = access.owner_of(s.id)
         join access.users u on u.id = m.user_id
       where s.name = $1 order by s.id limit 1`,
      [studio],
    ),
  )
  return { person: found && { ...found, studio }, command: await commandOfDemo(config) }
}
