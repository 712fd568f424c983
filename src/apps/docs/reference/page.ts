import { type Html, html } from '../../html.ts'
import type { ReferenceOptions } from './options.ts'
import { adequacyDisclaimer } from './sections/disclaimers.ts'
import { endpoints } from './sections/endpoints.ts'
import { errors } from './sections/errors.ts'
import { guide } from './sections/guide.ts'
import { interactive } from './sections/interactive.ts'
import { overview } from './sections/overview.ts'

/** Sections in their order: anchor and name. */
const contents = [
  ['overview', 'What it is'],
  ['first-call', 'First call'],
  ['paging', 'Page through a list'],
  ['changes', 'Keep a copy'],
  ['rate-limits', 'Rate limits'],
  ['endpoints', 'Endpoints'],
  ['errors', 'Errors'],
  ['adequacy-disclaimer', 'Disclaimers'],
  ['reference', 'Interactive reference'],
] as const

/**
 * The reference page. Everything with an anchor comes before the interactive part, so that link targets do not move when that loads.
 *
 * Serves: "an interactive page rendered from the OpenAPI 3.1 description …, with the disclaimers anchored at `#adequacy-disclaimer`".
 *
 * @param assets where the files of the page are, relative to it: `docs/assets/<version>`
 */
export function renderPage(options: ReferenceOptions, assets: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="How to use the Studio Inventory API: first call, paging, keeping a copy, errors, interactive reference.">
<title>Studio Inventory API</title>
<link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
<link rel="stylesheet" href="${assets}/docs.css">
<script defer src="${assets}/swagger-ui.js"></script>
<script type="module" src="${assets}/interactive.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<img src="${assets}/icon.svg" alt="" width="40" height="40">
<div>
<h1>Studio Inventory API</h1>
<p>Equipment, maintenance, insurance policies and valuation of a studio, read only.</p>
</div>
</header>
<div class="columns">
${navigation()}
<main id="content">
${overview(options)}${guide(options)}${endpoints()}${errors(options)}${adequacyDisclaimer()}${interactive()}
</main>
</div>
</body>
</html>
`
  return String(page)
}

function navigation(): Html {
  return html`<nav aria-label="On this page">
<ul>
${contents.map(([anchor, name]) => html`<li><a href="#${anchor}">${name}</a></li>\n`)}
</ul>
</nav>`
}
