import type { MakePgServiceOptions, PgClient, WithPgClient } from 'postgraphile/@dataplan/pg'
import { makeSchema } from 'postgraphile/graphile-build'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'postgraphile/graphql'
import type { Pool } from '../../database/pool.ts'
import { type RunStatement, readCatalog } from './analyst-transaction.ts'
import { preset } from './preset.ts'

/** The schema, and the resolved preset that its execution needs. */
export type BuiltSchema = { schema: GraphQLSchema; resolvedPreset: GraphileConfig.ResolvedPreset }

/** What a plan finds in the context of a request: its access to the database. */
export type PlanContext = { withPgClient: WithPgClient; pgSettings: Record<string, string | undefined> | null }

declare global {
  namespace Grafast {
    interface Context extends PlanContext {}
  }
  namespace GraphileConfig {
    interface PgAdaptors {
      'studio-inventory': { adaptorSettings: object; makePgServiceOptions: MakePgServiceOptions; client: PgClient }
    }
  }
}

/**
 * Builds the schema from the views that studio_graphql may read.
 *
 * @param pool the pool of studio_graphql; it is used only to read the catalog now
 * @throws what the database throws
 */
export async function buildSchema(pool: Pool): Promise<BuiltSchema> {
  const service: GraphileConfig.PgServiceConfiguration = {
    name: 'main',
    schemas: ['api_v1'],
    withPgClientKey: 'withPgClient',
    pgSettingsKey: 'pgSettings',
    pgSubscriber: null,
    adaptor: {
      createWithPgClient: () => (_settings, work) => readCatalog(pool, async (run) => work(pgClient(run) as never)),
      makePgService: () => service,
    },
    adaptorSettings: {},
  }
  return makeSchema({ ...preset, pgServices: [service] })
}

/** The context in which a request's plans run: every statement goes into the one transaction of the request. */
export function planContext(run: RunStatement): PlanContext {
  const client = pgClient(run)
  // The studio was set by the transaction; settings from a plan are ignored.
  return { pgSettings: {}, withPgClient: async (_settings, work) => work(client as never) }
}

/** The schema as text, in an order that does not depend on the order of building. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}

function pgClient(run: RunStatement): PgClient {
  return {
    query: async <Data>({ text, values, arrayMode }: { text: string; values?: unknown[]; arrayMode?: boolean }) => {
      const { rows, rowCount } = await run(text, values, arrayMode)
      return { rows: rows as Data[], rowCount }
    },
    withTransaction: () => Promise.reject(new Error('there is one transaction for each request')),
  }
}
