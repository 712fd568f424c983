import type { Config } from '../config/config.ts'

/** Where GraphQL answers, and the page to write queries in, where there is one. */
export type GraphqlAddress = { url: string; ide?: string }

/** What there is at this service, besides what it always has; `mcp`: the Model Context Protocol. */
export type Enabled = { console: boolean; graphql: GraphqlAddress | undefined; mcp?: boolean }

/** The addresses of the pages, for links. Undefined: the page is off, or nobody knows where it is. */
export type Links = { home: string; docs: string; console?: string | undefined; graphql?: string | undefined }

type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/**
 * The path that a proxy puts before those of this service; empty without one. A page links by paths, so that it also
 * works at another name of the machine.
 */
export function baseOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

/** Where the pages of a service are, for pages at its own address. */
export function linksOf({ publicUrl, docsUrl }: Addresses, { console, graphql }: Enabled): Links {
  const base = baseOf(publicUrl)
  return {
    home: `${base}/`,
    docs: docsUrl === `${publicUrl}/docs` ? `${base}/docs` : docsUrl,
    console: console ? `${base}/console` : undefined,
    graphql: graphql?.ide,
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
