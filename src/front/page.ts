import { type Content, codeBlock, type Html, html, siteHeader } from '../web/html.ts'
import type { Links } from '../web/links.ts'

type Page = {
  version: string
  /** Address of the API, with its version. */
  api: string
  links: Links
  /** The address of GraphQL; undefined when off. */
  graphql: string | undefined
  openapi: string
  /** The address of the Model Context Protocol; undefined when off. */
  mcp: string | undefined
  health: string
  /** The address that says whether the service is ready. */
  readiness: string
  ready: boolean
  assets: string
}

/** The page at `/`: what the service is, whether it is up, and where to go. */
export function renderPage(page: Page): string {
  const { links, assets } = page
  const icon = `${assets}/icon.svg`
  const call = `export TOKEN='svc_studio_…'
curl -H "Authorization: Bearer $TOKEN" \\
  '${page.api}/items?per_page=5'`
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
${state(page)}
<ul class="doors">
${door('Reference', links.docs, html`The first call, every endpoint and field, and errors<span class="needs-script">, with a form to try each endpoint</span>.`)}
${links.console !== undefined && door('Console', links.console, 'The studio’s value, items, policies and maintenance. Owners and admins also manage API tokens and members there.')}
${page.graphql !== undefined && door('GraphQL', links.graphql, html`The same data with sums and groups, for analysts, at <code>${page.graphql}</code>.`)}
${page.mcp !== undefined && door('AI assistants', undefined, html`The same data by the Model Context Protocol, at <code>${page.mcp}</code>.`)}
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
<footer><p>Version ${page.version} · <a href="${page.openapi}">OpenAPI description</a> · <a href="${page.health}">Health</a></p></footer>
</body>
</html>
`
  return String(document)
}

function state({ ready, readiness }: Page): Html {
  if (ready) return html`<p class="state good">The service is up and ready.</p>`
  return html`<p class="state bad">The service is temporarily unavailable: <a href="${readiness}">why</a>.</p>`
}

/** A link to a part of the service, or its name if it has no address. */
function door(name: string, address: string | undefined, about: Content): Html {
  return html`<li><h2>${address === undefined ? name : html`<a href="${address}">${name}</a>`}</h2><p>${about}</p></li>`
}
