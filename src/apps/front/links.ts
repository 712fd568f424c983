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
 * Where GraphQL answers, as far as it is known: at GRAPHQL_PUBLIC_URL, and in the demo on the host of PUBLIC_URL. What a
 * proxy makes of its port elsewhere is nothing to guess.
 *
 * @param port undefined where GraphQL is off
 * @param demo whether it is on the host of PUBLIC_URL
 */
export function graphqlAddress(
  { publicUrl, graphql }: Pick<Config, 'publicUrl' | 'graphql'>,
  port: number | undefined,
  demo: boolean,
): GraphqlAddress | undefined {
  const known = graphql.publicUrl ?? (demo ? `http://${new URL(publicUrl).hostname}:${port}` : undefined)
  if (port === undefined || known === undefined) return undefined
  return { url: `${known}/graphql`, ide: `${known}/` }
}
