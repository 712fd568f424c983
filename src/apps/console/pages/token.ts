import { type Html, html } from '../../html.ts'
import type { ApiRequest, ApiToken, Studio } from '../store.ts'
import { csrfInput, type Page, pathOf } from './layout.ts'
import { badge, facts, revokeDialog } from './tokens.ts'

/**
 * One token with its activity.
 *
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and response time".
 */
export function tokenPage(
  base: string,
  studio: Studio,
  token: ApiToken,
  requests: readonly ApiRequest[],
  csrfToken: string,
): Page {
  const revocable = studio.mayManage && token.revokedAt === null
  return {
    title: token.name,
    studio,
    tab: 'tokens',
    content: html`<p><a href="${pathOf(base, studio)}/tokens">All tokens</a></p>
<h1 class="typed">${token.name}${badge(token)}</h1>
${facts(token)}
${
  revocable &&
  html`<p><a class="button danger" href="${pathOf(base, studio)}/tokens/${token.id}/revoke" data-revoke="${token.name}">Revoke</a></p>`
}
<h2 id="activity">Activity</h2>
${requests.length === 0 ? html`<p>No requests yet.</p>` : activity(requests)}
${revocable && revokeDialog(csrfToken)}`,
  }
}

function activity(requests: readonly ApiRequest[]): Html {
  return html`<p class="soft">The last ${requests.length === 1 ? 'request' : `${requests.length} requests`}, newest first.</p>
<div class="wide" role="region" aria-labelledby="activity" tabindex="0">
<table>
<thead><tr><th scope="col">Time</th><th scope="col">Endpoint</th><th scope="col">Status</th><th scope="col" class="number">Duration</th></tr></thead>
<tbody>
${requests.map(
  ({
    at,
    endpoint,
    status,
    durationMs,
  }) => html`<tr><td><time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time></td>
<td><code>${endpoint}</code></td><td>${status}</td><td class="number">${durationMs.toFixed(1)} ms</td></tr>\n`,
)}
</tbody>
</table>
</div>`
}

/** Asks before a token is revoked. */
export function revokePage(base: string, studio: Studio, token: ApiToken, csrfToken: string): Page {
  const list = `${pathOf(base, studio)}/tokens`
  return {
    title: 'Revoke a token',
    studio,
    tab: 'tokens',
    content: html`<h1>Revoke this token?</h1>
<form class="panel" method="post" action="${list}/${token.id}/revoke">
<p><strong class="typed">${token.name}</strong> (<code>${token.prefix}…</code>) stops working at once, for good. Its record stays.</p>
${csrfInput(csrfToken)}
<p class="choices"><button class="danger">Revoke</button> <a class="button quiet" href="${list}">Keep it</a></p>
</form>`,
  }
}

/**
 * A new token, this once.
 *
 * Serves: "The full token is displayed once after creation; it cannot be shown again."
 */
export function createdPage(
  base: string,
  studio: Studio,
  created: { name: string; token: string; curl: string },
): Page {
  return {
    title: 'Token created',
    studio,
    tab: 'tokens',
    content: html`<h1>Token created</h1>
<p class="notice" role="status">Copy the token <strong class="typed">${created.name}</strong> now. It cannot be shown again.</p>
${copied('Token', 'token', created.token)}
${copied('Try it', 'curl', created.curl)}
<p><a class="button" href="${pathOf(base, studio)}/tokens">I have copied it</a></p>`,
  }
}

function copied(label: string, id: string, text: string): Html {
  return html`<div class="secret">
<h2 id="${id}-label">${label}</h2>
<pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}" data-secret>${text}</code></pre>
<button type="button" data-copy="${id}" hidden>Copy<span class="spoken"> ${label}</span></button> <span role="status" data-copied="${id}"></span>
</div>`
}
