import { siteHeader } from '../../header.ts'
import { type Html, html } from '../../html.ts'
import { describeApi } from '../openapi/document.ts'
import { scripts } from './assets.ts'
import { moneyOf } from './money.ts'
import { navigation } from './navigation.ts'
import type { ReferenceOptions } from './options.ts'
import { answers } from './sections/answers.ts'
import { connect } from './sections/connect.ts'
import { adequacyDisclaimer } from './sections/disclaimers.ts'
import { endpoints } from './sections/endpoints.ts'
import { errors } from './sections/errors.ts'
import { guide } from './sections/guide.ts'
import { overview } from './sections/overview.ts'

/**
 * The reference page, whole: every operation and field is in the markup, made from the OpenAPI description. Scripts only fill in the
 * token, send requests, search and copy.
 *
 * Serves: "an interactive page rendered from the OpenAPI 3.1 description …, with the disclaimers anchored at `#adequacy-disclaimer`".
 *
 * @param assets where the files of the page are, relative to it: `docs/assets/<version>`
 */
export function renderPage(options: ReferenceOptions, assets: string): string {
  const document = describeApi(options)
  const isMoney = moneyOf(document)
  const icon = `${assets}/icon.svg`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Reference of the Studio Inventory API: first call, paging, keeping a copy, every endpoint and field, errors.">
<title>Studio Inventory API</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${assets}/docs.css">
${scripts.map((name) => html`<script type="module" src="${assets}/${name}"></script>\n`)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(options.places, 'docs', icon, tokenField())}
<div class="columns">
${navigation()}
<main id="content">
<h1>Studio Inventory API</h1>
${overview(options)}${guide(options, isMoney)}${connect(options)}${endpoints(document, options.publicUrl, isMoney)}${answers(document)}${errors(options, document)}${adequacyDisclaimer()}
</main>
</div>
</body>
</html>
`
  return String(page)
}

/** The field for the reader's token. What is typed into it stays in it. */
function tokenField(): Html {
  return html`<div class="token" role="group" aria-label="Your token">
<label for="token">API token</label>
<input id="token" type="password" placeholder="svc_studio_…" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-status">
<button id="token-forget" type="button" disabled>Forget</button>
<p id="token-status" role="status"></p>
</div>`
}
