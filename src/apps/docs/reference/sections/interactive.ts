import { type Html, html } from '../../../html.ts'

/**
 * The container of the interactive reference, which a script fills from the description. The texts that the script needs are here,
 * hidden, so that all texts of the page are in one place.
 */
export function interactive(): Html {
  return html`<section id="reference" class="wide">
<h2>Interactive reference</h2>
<noscript><p class="notice">This part needs JavaScript. Everything above works without it, and the description is at
<a href="openapi.json">openapi.json</a>.</p></noscript>
<p class="notice" id="reference-status" role="status" hidden></p>
<div class="token" id="token-field" hidden>
<label for="token">API token</label>
<div class="token-row">
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-help token-status">
<button id="token-forget" type="button">Forget</button>
</div>
<p id="token-help">Paste a token to try the endpoints with the data of your studio. It stays in this page: it is not stored
anywhere, and a reload clears it.</p>
<p id="token-status" role="status"></p>
</div>
<div id="interactive" data-description="openapi.json"></div>
</section>
`
}
