import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { prefix } from '../api/operations.ts'
import { type Config, manifest } from '../config/config.ts'
import type { Problems } from '../http/problems.ts'
import { jsonType, type Readiness, send } from '../http/response.ts'
import { baseOf, type Enabled, linksOf } from '../web/links.ts'
import {
  type Assets,
  loadOnce,
  prepareText,
  type Sources,
  type StaticText,
  sendAsset,
  sendIcon,
  sendStaticText,
  setPageHeaders,
} from '../web/static.ts'
import { renderPage } from './page.ts'

type Options = Pick<Config, 'publicUrl' | 'docsUrl'>

/** The requests that the page makes to the service. */
type Service = { enabled: Enabled; ready(): Promise<Readiness> }

const name = 'Studio Inventory API'

/** How long the page waits for readiness, in milliseconds. */
const longestWaitMs = 1_000

/** Makes the handlers of the front page. The first request reads the files. */
export function serveFront(options: Options, { enabled, ready }: Service, problems: Problems) {
  const load = loadOnce(sources)
  /** The page by readiness, which is all that changes. */
  const pages = new Map<boolean, StaticText>()
  const pageWhen = (ready: boolean, { version }: Assets) => {
    const page = pages.get(ready) ?? prepareText('text/html; charset=utf-8', pageOf(options, enabled, version, ready))
    pages.set(ready, page)
    return page
  }

  return {
    /** `/`: a page for browsers, JSON for others. */
    async door(request: Request, response: Response) {
      const assets = await load()
      response.setHeader('Vary', 'Accept')
      if (!prefersHtml(request)) {
        const body = JSON.stringify({ name, version: manifest.version, links: addressesOf(options, enabled) }, null, 2)
        return send(response, 200, jsonType, `${body}\n`)
      }
      setPageHeaders(response)
      await sendStaticText(request, response, pageWhen(await isReady(ready), assets))
    },
    /** `/assets/:version/:file` */
    async asset(request: Request, response: Response) {
      const assets = await load()
      setPageHeaders(response)
      if (!sendAsset(assets, request, response)) problems.send(response, 'not_found')
    },
    /** `/favicon.ico`, which browsers request when an answer is not a page. */
    async icon(_request: Request, response: Response) {
      sendIcon(await load(), response)
    },
  }
}

/** Whether the service is ready. If it does not say so in time, it is not. */
async function isReady(ready: Service['ready']): Promise<boolean> {
  const late = sleep(longestWaitMs, { ready: false }, { ref: false })
  const state = await Promise.race([ready(), late]).catch(() => ({ ready: false }))
  return state.ready
}

/** JSON wins a tie: programs accept anything, browsers name HTML. */
function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html'
}

function pageOf(options: Options, enabled: Enabled, assetsVersion: string, ready: boolean): string {
  const base = baseOf(options.publicUrl)
  return renderPage({
    version: manifest.version,
    api: addressesOf(options, enabled).api ?? '',
    links: linksOf(options, enabled),
    graphql: enabled.graphql?.url,
    openapi: `${base}/openapi.json`,
    mcp: addressesOf(options, enabled).mcp,
    health: `${base}/healthz`,
    readiness: `${base}/readyz`,
    ready,
    assets: `${base}/assets/${assetsVersion}`,
  })
}

/** The addresses of everything that is on, for programs. */
function addressesOf({ publicUrl, docsUrl }: Options, enabled: Enabled): Record<string, string> {
  return {
    api: `${publicUrl}${prefix}`,
    docs: docsUrl,
    openapi: `${publicUrl}/openapi.json`,
    ...(enabled.console && { console: `${publicUrl}/console` }),
    ...(enabled.graphql && { graphql: enabled.graphql.url }),
    ...(enabled.mcp && { mcp: `${publicUrl}/mcp` }),
    health: `${publicUrl}/healthz`,
  }
}

const here = (path: string) => new URL(path, import.meta.url)

const sources: Sources = {
  'front.css': [
    ...['colours', 'base', 'header', 'parts', 'code'].map((part) => here(`../web/styles/${part}.css`)),
    here('styles/front.css'),
  ],
  'icon.svg': [here('../web/styles/icon.svg')],
  'copy.js': [here('../web/browser/copy.js')],
}
