import type { Config, manifest } from '../config/config.ts'

/** The address of GraphQL, and of the page to write queries on, if there is one. */
export type GraphqlAddress = { url: string; ide?: string }

/** The optional parts of this service; `mcp` is the Model Context Protocol. */
export type Enabled = { console: boolean; graphql: GraphqlAddress | undefined; mcp?: boolean }

/** The addresses of the pages. One is undefined if the page is off or its address is not known. */
export type Links = { home: string; docs: string; console?: string | undefined; graphql?: string | undefined }

type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/** The path that a proxy puts before this service's own; empty without one. Pages link by paths,
 * so they also work under another host name. */
export function baseOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

/** Whether a request names this service's own host, or for loopback any name of it. Another
 * site's name that leads here (DNS rebinding) must get no secret of the demo. */
export function isOwnHost(publicUrl: string, host: string | undefined): boolean {
  const { host: own, hostname, port } = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  const others = loopback.includes(hostname) ? loopback.map((name) => (port === '' ? name : `${name}:${port}`)) : []
  return host !== undefined && [own, ...others].includes(host.toLowerCase())
}

/** The address of a release's source code, as GitHub and Gitea show it. Undefined: package.json
 * names no repository, as before its release. */
export function sourceOf({ version, repository }: Pick<typeof manifest, 'version' | 'repository'>): string | undefined {
  const [, address] = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? []
  return address && `${address}/tree/v${version}`
}

/** The addresses of the pages, for pages of this service. */
export function linksOf({ publicUrl, docsUrl }: Addresses, { console, graphql }: Enabled): Links {
  const base = baseOf(publicUrl)
  return {
    home: `${base}/`,
    docs: docsUrl === `${publicUrl}/docs` ? `${base}/docs` : docsUrl,
    console: console ? `${base}/console` : undefined,
    graphql: graphql?.ide,
  }
}

/** The address of GraphQL, if known: GRAPHQL_PUBLIC_URL, or in the demo a port on the host of
 * PUBLIC_URL.
 * @param port of GraphQL in the demo */
export function graphqlAddress(
  { publicUrl, graphql }: Pick<Config, 'publicUrl' | 'graphql'>,
  port: number | undefined,
): GraphqlAddress | undefined {
  const demo = port === undefined ? undefined : `http://${new URL(publicUrl).hostname}:${port}`
  const known = graphql.publicUrl ?? demo
  return known === undefined ? undefined : { url: `${known}/graphql`, ide: `${known}/` }
}
