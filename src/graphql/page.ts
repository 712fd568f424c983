import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type RuruClientConfig, ruruHTML } from 'postgraphile/grafserv/ruru/server'

export type PageOptions = {
  /** The path that a proxy puts before this listener's own; empty without one. */
  base: string
  command: string
  /** Makes an identity for the page, where everybody may use one; null: there is none. */
  identity?: ((host: string | undefined) => Promise<string | null>) | undefined
}

export const filesAt = '/ruru/'

const svg = readFileSync(new URL('../web/styles/icon.svg', import.meta.url))
const icon = `<link rel="icon" href="data:image/svg+xml;base64,${svg.toString('base64')}">`

/** Makes Grafserv's page to write queries on, Ruru, ours: its addresses, first query, identity
 * and content security policy. It loads all from here. */
export function pagePlugin({ base, command, identity }: PageOptions): GraphileConfig.Plugin {
  return {
    name: 'StudioInventoryPage',
    version: '1.0.0',
    grafserv: {
      middleware: {
        async ruruHTML(_next, { request }) {
          const { res } = request.requestContext.expressv4 ?? {}
          const token = (await identity?.(request.getHeader('host'))) ?? null
          const page = ruruHTML({
            endpoint: `${base}/graphql`,
            staticPath: `${base}${filesAt}`,
            clientConfig: configOf(token, command),
            htmlParts: {
              titleTag: '<title>GraphQL · Studio Inventory</title>',
              metaTags: (tags) => `${tags}\n${icon}${token === null ? '' : firstHeaders(token)}`,
            },
          })
          res?.setHeader('Content-Security-Policy', policyFor(page))
          return page
        },
      },
    },
  }
}

// Ruru's types want every option, though each has a default.
const configOf = (token: string | null, command: string) =>
  ({
    defaultQuery: firstQuery(token === null ? howToIdentify(command) : identified),
    defaultHeaders: `{ "Authorization": "Bearer ${token ?? ''}" }`,
    // The browser stores no identity: Ruru's history, which keeps headers, stays empty.
    maxHistoryLength: -1,
    showPersistHeadersSettings: false,
  }) as RuruClientConfig
/** Allows scripts by digest, everything else by address. The editor makes styles as it runs. */
function policyFor(page: string): string {
  const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Ruru reads the schema before it has its headers, so the page's identity is added there. */
const firstHeaders = (identity: string) => `<script>
const send = window.fetch
window.fetch = (address, options = {}) => {
  const headers = new Headers(options.headers)
  if (!headers.has('Authorization')) headers.set('Authorization', 'Bearer ${identity}')
  return send(address, { ...options, headers })
}
</script>`

const identified = `# "Headers" below has an identity of the demo for 15 minutes; reload the page for another.
# Run the query: Control and Enter.`

const howToIdentify = (command: string) => `# 1. Put your identity into "Headers" below, after Bearer.
#    This prints one for 15 minutes:
#    ${command} analyst token --studio 'Northlight Studios'
# 2. Read the schema: the button with two arrows, at the left.
# 3. Run the query: Control and Enter.`

function firstQuery(advice: string): string {
  return `${advice}
{
  account { name currency }
  items {
    totalCount
    aggregates {
      sum { currentEstimatedValue gapAmount }
    }
    groupedAggregates(groupBy: [COVERAGE_STATE]) {
      keys
      distinctCount { id }
      sum { currentEstimatedValue }
    }
  }
}
`
}
