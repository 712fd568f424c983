import { type Content, type Html, html } from '../html.ts'

/** What the page shows. */
export type Page = {
  name: string
  version: string
  /** Address of the API, with its version. */
  api: string
  docs: string
  openapi: string
  console: string | undefined
  graphql: { url: string; ide?: string } | undefined
  /** Address of the Model Context Protocol, where it is on. */
  mcp: string | undefined
  health: string
  /** Where the files of the page are. */
  assets: string
}

/** The page at `/`: what this is, and where to go. It needs no scripts. */
export function renderPage(page: Page): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="A studio's equipment, maintenance, insurance policies and valuation, read only.">
<title>${page.name}</title>
<link rel="icon" type="image/svg+xml" href="${page.assets}/icon.svg">
<link rel="stylesheet" href="${page.assets}/front.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<img src="${page.assets}/icon.svg" alt="" width="48" height="48">
<div>
<h1>${page.name}</h1>
<p>Equipment, maintenance, insurance policies and valuation of a studio, read only.</p>
</div>
</header>
<main id="content">
<ul class="places">
${place('Documentation', page.docs, 'The first call, polling for changes, every error, and an interactive reference.')}
${page.console !== undefined && place('Console', page.console, 'Where owners and admins create, monitor and revoke API tokens.')}
${page.graphql && graphql(page.graphql)}
${page.mcp !== undefined && place('AI assistants', undefined, html`The same data by the Model Context Protocol, at <code>${page.mcp}</code>.`)}
${place('OpenAPI description', page.openapi, 'The machine-readable API, for client generators, gateways and test tools.')}
${place('Health', page.health, 'Whether the service is up.')}
</ul>
<section aria-labelledby="first-call">
<h2 id="first-call">First call</h2>
<pre><code>curl -H "Authorization: Bearer $TOKEN" \\
  '${page.api}/items?per_page=5'</code></pre>
</section>
</main>
<footer><p>Version ${page.version}</p></footer>
</body>
</html>
`
  return String(document)
}

function graphql({ url, ide }: NonNullable<Page['graphql']>): Html {
  const about = html`The same data with aggregates and grouping, for analysts, at <code>${url}</code>.`
  return place('GraphQL', ide, about)
}

/** A place to go to, or, without an address, to know of. */
function place(name: string, address: string | undefined, about: Content): Html {
  return html`<li><h2>${address === undefined ? name : html`<a href="${address}">${name}</a>`}</h2><p>${about}</p></li>`
}
