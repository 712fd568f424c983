import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import type { PoolStats } from '../../database/pool.ts'
import { findPort } from '../../http/listener.ts'
import type { Measured } from '../../http/observation.ts'
import type { Logger } from '../../observability/log.ts'
import { placesFromElsewhere } from '../places.ts'
import type { DemoPerson } from './page/demo-identity.ts'
import type { GraphqlOptions } from './server.ts'

export type OpenGraphql = { port: number; poolStats(): PoolStats; close(): Promise<void> }

/**
 * Opens GraphQL on a port of its own: the configured one, in the demo the next after the API's or any free one. Undefined
 * without either; nothing of it is loaded then, nor before somebody connects.
 *
 * @param demo whose identity its page uses by itself, and the shell command that starts the command line on the demo's data
 * @param measure counts its requests in the metrics
 * @throws ListenError
 */
export async function openGraphql(
  config: Config,
  database: Database,
  log: Logger,
  demo: { person: DemoPerson | undefined; command: string } | undefined,
  measure?: (request: Measured) => void,
): Promise<OpenGraphql | undefined> {
  const port = await portOf(config, database)
  if (port === undefined) return undefined
  const { startGraphql } = await import('./process.ts')
  const { host, docsUrl, trustProxy, rateLimits, redisUrl, graphql, tracing, logLevel } = config
  const { acquireTimeoutMs, statementTimeoutMs, shutdownTimeoutMs } = config
  const { poolQueue, maxConnections } = config
  const timeouts = { acquireTimeoutMs, statementTimeoutMs, shutdownTimeoutMs }
  // Links from a page to itself are paths.
  const here = { url: 'graphql', ide: './' }
  const publicUrl =
    graphql.publicUrl ?? `http://${database.embedded ? new URL(config.publicUrl).hostname : 'localhost'}:${port}`
  const options: GraphqlOptions = {
    // Picked one by one: what the process does not need it does not get.
    config: { docsUrl, trustProxy, rateLimits, redisUrl, graphql, tracing, poolQueue, maxConnections, ...timeouts },
    databaseUrl: database.urlFor('studio_graphql'),
    secretKey: database.secretKey,
    page: {
      places: placesFromElsewhere(config, { console: config.console.enabled, graphql: here }),
      url: `${publicUrl}/graphql`,
      publicUrl,
      command: demo?.command ?? 'npx studio-inventory',
      demo: demo?.person,
    },
  }
  return startGraphql({ host, port, options, logLevel, log, measure })
}

async function portOf({ host, port, graphql }: Config, { embedded }: Database): Promise<number | undefined> {
  if (graphql.port !== undefined) return findPort(host, graphql.port, 'GRAPHQL_PORT')
  if (!embedded) return undefined
  return findPort(host, port < 65535 ? port + 1 : 0).catch(() => findPort(host, 0))
}
