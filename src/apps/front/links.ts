import { prefix } from '../../api/operations.ts'
import type { Config } from '../../config/config.ts'
import type { Beside, GraphqlAddress } from '../places.ts'

type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/** The addresses of everything that is on, for programs. */
export function linksOf({ publicUrl, docsUrl }: Addresses, beside: Beside): Record<string, string> {
  return {
    api: `${publicUrl}${prefix}`,
    docs: docsUrl,
    openapi: `${publicUrl}/openapi.json`,
    ...(beside.console && { console: `${publicUrl}/console` }),
    ...(beside.graphql && { graphql: beside.graphql.url }),
    ...(beside.mcp && { mcp: `${publicUrl}/mcp` }),
    health: `${publicUrl}/healthz`,
  }
}

/**
 * Where GraphQL answers, as far as it is known: at GRAPHQL_PUBLIC_URL, and in the demo on the host of PUBLIC_URL.
 *
 * @param port of GraphQL in the demo
 */
export function graphqlAddress(
  { publicUrl, graphql }: Pick<Config, 'publicUrl' | 'graphql'>,
  port: number | undefined,
): GraphqlAddress | undefined {
  const demo = port === undefined ? undefined : `http://${new URL(publicUrl).hostname}:${port}`
  const known = graphql.publicUrl ?? demo
  return known === undefined ? undefined : { url: `${known}/graphql`, ide: `${known}/` }
}
