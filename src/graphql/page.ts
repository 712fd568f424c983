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
}

export const filesAt = '/ruru/'

const svg = readFileSync(new URL('../web/styles/icon.svg', import.meta.url))
const icon = `<link rel="icon" href="data:image/svg+xml;base64,${svg.toString('base64')}">`

/** The page to write queries on, at `/`: Ruru, PostGraphile's editor. It loads all from here. */
export function queryPage({ base, command }: PageOptions): RequestHandler {
  // Ruru's types are those of a React editor, which is not installed.
  const clientConfig = {
    defaultQuery: firstQuery(command),
    defaultHeaders: '{ "Authorization": "Bearer " }',
    // The browser stores no identity: Ruru's history, which keeps headers, stays empty.
    maxHistoryLength: -1,
    showPersistHeadersSettings: false,
  } as RuruClientConfig
  const page = ruruHTML({
    endpoint: `${base}/graphql`,
    staticPath: `${base}${filesAt}`,
    clientConfig,
    htmlParts: { titleTag: '<title>GraphQL · Studio Inventory</title>', metaTags: (tags) => `${tags}\n${icon}` },
  })
  const policy = policyFor(page)
  return (_request, response) => {
    setPageHeaders(response)
    response.setHeader('Content-Security-Policy', policy)
    send(response, 200, 'text/html; charset=utf-8', page)
  }
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

function firstQuery(command: string): string {
  return `# 1. Put your identity into "Headers" below, after Bearer.
#    This prints one for 15 minutes:
#    ${command.replaceAll(/\s*\\\n\s*/g, ' ').trim()} analyst token --studio 'Northlight Studios'
# 2. Read the schema: the button with two arrows, at the left.
# 3. Run the query: Control and Enter.
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
