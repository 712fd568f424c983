import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../../config/config.ts'
import { manifest } from '../../config/manifest.ts'
import { type Assets, loadAssets, sendAsset } from '../../http/assets.ts'
import type { Problems } from '../../http/problems.ts'
import { jsonType, send } from '../../http/response.ts'
import { sources } from './assets.ts'
import { type Beside, baseOf, linksOf } from './links.ts'
import { renderPage } from './page.ts'

export type Front = {
  /** `/`: a page for browsers, JSON for everybody else. */
  door: RequestHandler
  /** `/assets/:version/:file` */
  asset: RequestHandler
}

type Options = Pick<Config, 'publicUrl' | 'docsUrl'>

const name = 'Studio Inventory API'

/** Only files of this service are loaded, and no script at all. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * Makes the handlers of the front door. Files are read at the first request, once.
 *
 * @param beside what else is on at this moment
 */
export function serveFront(options: Options, beside: () => Beside, problems: Problems): Front {
  let loading: Promise<Assets> | undefined
  const load = () => {
    loading ??= loadAssets(sources).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    async door(request, response) {
      const assets = await load()
      response.setHeader('Vary', 'Accept')
      if (!prefersHtml(request)) {
        const body = JSON.stringify({ name, version: manifest.version, links: linksOf(options, beside()) }, null, 2)
        return send(response, 200, jsonType, `${body}\n`)
      }
      setFrontHeaders(response)
      send(response, 200, 'text/html; charset=utf-8', pageOf(options, beside(), assets.version))
    },
    async asset(request, response) {
      const assets = await load()
      setFrontHeaders(response)
      if (!sendAsset(assets, request, response)) problems.send(response, 'not_found')
    },
  }
}

/** Whoever takes both alike, or neither, gets JSON: programs ask for anything, browsers for HTML. */
function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html'
}

function setFrontHeaders(response: Response): void {
  for (const header in headers) response.setHeader(header, headers[header] ?? '')
}

function pageOf(options: Options, beside: Beside, assetsVersion: string): string {
  const { publicUrl, docsUrl } = options
  const base = baseOf(publicUrl)
  return renderPage({
    name,
    version: manifest.version,
    api: linksOf(options, beside).api ?? '',
    docs: docsUrl === `${publicUrl}/docs` ? `${base}/docs` : docsUrl,
    openapi: `${base}/openapi.json`,
    console: beside.console ? `${base}/console` : undefined,
    graphql: beside.graphql,
    mcp: linksOf(options, beside).mcp,
    health: `${base}/healthz`,
    assets: `${base}/assets/${assetsVersion}`,
  })
}
