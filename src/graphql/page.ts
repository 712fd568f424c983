import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { type RuruClientConfig, ruruHTML } from 'ruru/server'
import { getStaticFile } from 'ruru/static'
import { send, sendNotModified } from '../http/response.ts'
import { setPageHeaders } from '../web/static.ts'
import { sendRefusal } from './answers.ts'

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

/** The page to write queries on, at `/`: Ruru, PostGraphile's editor. It loads all from here. */
export function queryPage(options: PageOptions): RequestHandler {
  return async (request, response) => {
    const page = pageFor(options, (await options.identity?.(request.headers.host)) ?? null)
    setPageHeaders(response)
    response.setHeader('Content-Security-Policy', policyFor(page))
    send(response, 200, 'text/html; charset=utf-8', page)
  }
}

function pageFor({ base, command }: PageOptions, identity: string | null): string {
  // Ruru's types are those of a React editor, which is not installed.
  const clientConfig = {
    defaultQuery: firstQuery(identity === null ? howToIdentify(command) : identified),
    defaultHeaders: `{ "Authorization": "Bearer ${identity ?? ''}" }`,
    // The browser stores no identity: Ruru's history, which keeps headers, stays empty.
    maxHistoryLength: -1,
    showPersistHeadersSettings: false,
  } as RuruClientConfig
  return ruruHTML({
    endpoint: `${base}/graphql`,
    staticPath: `${base}${filesAt}`,
    clientConfig,
    htmlParts: {
      titleTag: '<title>GraphQL · Studio Inventory</title>',
      metaTags: (tags) => `${tags}\n${icon}${identity === null ? '' : firstHeaders(identity)}`,
    },
  })
}

export const queryPageFiles: RequestHandler = async (request, response) => {
  setPageHeaders(response)
  const acceptEncoding = request.headers['accept-encoding']
  const file = await getStaticFile({
    staticPath: filesAt,
    urlPath: request.path,
    acceptEncoding,
    disallowDevAssets: true,
  })
  if (file === null) return sendRefusal(response, 'not_found')
  for (const [name, value] of Object.entries(file.headers)) response.setHeader(name, value)
  response.setHeader('Cache-Control', 'public, max-age=3600')
  response.setHeader('Vary', 'Accept-Encoding')
  if (request.fresh) return sendNotModified(response)
  response.end(file.content)
}

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
