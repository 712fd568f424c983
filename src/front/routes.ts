import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { prefix } from '../api/operations.ts'
import { type Config, manifest } from '../config/config.ts'
import type { Problems } from '../http/problems.ts'
import { jsonType, type Readiness, send } from '../http/response.ts'
import { type Content, codeBlock, type Html, html, siteHeader } from '../web/html.ts'
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
  stylesheet,
} from '../web/static.ts'

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
    const page =
      pages.get(ready) ?? prepareText('text/html; charset=utf-8', renderPage(options, enabled, version, ready))
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
  'front.css': stylesheet('code', 'front'),
  'icon.svg': [here('../web/styles/icon.svg')],
  'copy.js': [here('../web/browser/copy.js')],
}

/** The page at `/`: what the service is, whether it is up, and where to go. */
function renderPage(options: Options, enabled: Enabled, assetsVersion: string, ready: boolean): string {
  const base = baseOf(options.publicUrl)
  const links = linksOf(options, enabled)
  const { api, graphql, mcp } = addressesOf(options, enabled)
  const assets = `${base}/assets/${assetsVersion}`
  const icon = `${assets}/icon.svg`
  const call = `export TOKEN='svc_studio_…'
curl -H "Authorization: Bearer $TOKEN" \\
  '${api}/items?per_page=5'`
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="A studio’s equipment, maintenance, insurance policies and valuation, read only.">
<title>Studio Inventory API</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${assets}/front.css">
<script type="module" src="${assets}/copy.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(links, 'home', icon)}
<main id="content">
<h1>Studio Inventory API</h1>
<p class="lead">What a studio owns, where it is, how it is serviced, how it is insured and what it is worth: read-only JSON for
accounting tools, BI tools and no-code automations.</p>
${
  ready
    ? html`<p class="state good">The service is up and ready.</p>`
    : html`<p class="state bad">The service is temporarily unavailable: <a href="${base}/readyz">why</a>.</p>`
}
<ul class="doors">
${door('Reference', links.docs, html`The first call, every endpoint and field, and errors<span class="needs-script">, with a form to try each endpoint</span>.`)}
${links.console !== undefined && door('Console', links.console, 'The studio’s value, items, policies and maintenance. Owners and admins also manage API tokens and members there.')}
${graphql !== undefined && door('GraphQL', links.graphql, html`The same data with sums and groups, for analysts, at <code>${graphql}</code>.`)}
${mcp !== undefined && door('AI assistants', undefined, html`The same data by the Model Context Protocol, at <code>${mcp}</code>.`)}
</ul>
<section aria-labelledby="first-call">
<h2 id="first-call">First call</h2>
<p>${
    links.console === undefined
      ? 'An owner or admin of the studio creates the token in the app, under API tokens.'
      : html`An owner or admin of the studio creates the token in the <a href="${links.console}">console</a>.`
  }</p>
${codeBlock('List items, with curl', call)}
<p>What comes back, and what to do next: <a href="${links.docs}#first-call">the guide</a>.</p>
</section>
</main>
<footer><p>Version ${manifest.version} · <a href="${base}/openapi.json">OpenAPI description</a> · <a href="${base}/healthz">Health</a></p></footer>
</body>
</html>
`
  return String(document)
}

/** A link to a part of the service, or its name if it has no address. */
function door(name: string, address: string | undefined, about: Content): Html {
  return html`<li><h2>${address === undefined ? name : html`<a href="${address}">${name}</a>`}</h2><p>${about}</p></li>`
}
