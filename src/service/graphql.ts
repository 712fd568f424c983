import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/roles.ts'
import { commandOfDemo, offersDemoSignIn, prepareEmbedded } from '../demo/prepare-demo.ts'
import { signAnalystToken } from '../graphql/analyst-token.ts'
import { type GraphqlServer, openGraphql } from '../graphql/server.ts'
import { findPort, listen } from '../http/listener.ts'
import type { Readiness } from '../http/response.ts'
import { connectionCount } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { newestMigration } from '../migration/migrations.ts'
import { openObservability } from '../observability/observability.ts'
import { baseOf, graphqlAddress, isOwnHost } from '../web/links.ts'
import { openDatabase } from './open-database.ts'
import { checkLogin } from './readiness.ts'
import { type Closable, collectResources } from './signals.ts'

const defaultPort = 3001

/** How long to wait for the schema before listening without one, in milliseconds. */
const longestBuildMs = 5_000

/** Runs GraphQL here, on GRAPHQL_PORT, with its own pool. @throws one line for the operator */
export async function serveGraphql(config: Config, log: Logger): Promise<Closable & Pick<GraphqlServer, 'ready'>> {
  const port = await findPort(config.host, config.graphql.port ?? defaultPort, 'GRAPHQL_PORT')
  const resources = collectResources()
  try {
    const observability = await openObservability(config, log, resources)
    const database = await openDatabase(config, log)
    resources.defer(database.close)
    const databaseUrl = database.urlFor('studio_graphql')
    if (database.embedded) await prepareEmbedded(config, database, log)
    else await checkLogin(databaseUrl)
    const command = database.embedded ? commandOfDemo(config) : 'npx studio-inventory'
    const base = config.graphql.publicUrl === undefined ? '' : baseOf(config.graphql.publicUrl)
    const here = graphqlAddress(config, port)?.ide ?? ''
    const identity =
      database.embedded && offersDemoSignIn(config)
        ? async (host: string | undefined) => (isOwnHost(here, host) ? identityOfDemo(database) : null)
        : undefined
    const page = { base, command, identity }
    const graphql = await openGraphql(
      { config, databaseUrl, secretKeys: database.secretKeys, page, observability },
      log,
    )
    resources.defer(graphql.close)
    // A balancer that checks no health sends queries at once. Without a database they get 503.
    await Promise.race([graphql.ready, sleep(longestBuildMs, undefined, { ref: false })])
    await listen(graphql.server, config.host, port, 'GRAPHQL_PORT', log)
    observability.metrics?.watchConnections(() => connectionCount(graphql.server))
    const schemaVersion = (await newestMigration()).filename
    observability.readyWhen(
      async (): Promise<Readiness> =>
        graphql.isReady() ? { ready: true, schemaVersion } : { ready: false, reason: 'there is no GraphQL schema yet' },
    )
    log.info({ pid: process.pid, host: config.host, port }, 'GraphQL is listening')
    return {
      ready: graphql.ready,
      async announce() {
        graphql.announce()
        observability.readyWhen(async () => ({ ready: false, reason: 'the service is stopping' }))
        await sleep(config.shutdownDelayMs)
      },
      close: () => resources.close(),
    }
  } catch (error) {
    await resources.close()
    throw error
  }
}

/** An identity of the owner of the demo, whom everybody may be there; null without a demo. */
async function identityOfDemo({ adminUrl, secretKey }: Database): Promise<string | null> {
  const { demoOwner } = await import('../demo/token.ts')
  const owner = await demoOwner(adminUrl).catch(() => null)
  return owner && signAnalystToken(secretKey, owner)
}
