import { type Html, html } from '../../web/html.ts'
import { type ActivityView, activity } from '../activity.ts'
import type { ApiToken, Studio } from '../store.ts'
import { csrfInput, type Page, pathOf, success } from './layout.ts'
import { badges, facts, revokeButton, revokeDialog } from './tokens.ts'

type TokenView = {
  base: string
  studio: Studio
  token: ApiToken
  csrfToken: string
  /** Whether the last form revoked it. */
  justRevoked: boolean
  activity: Omit<ActivityView, 'path'>
}

/** One token with its activity. */
export function tokenPage({ base, studio, token, csrfToken, justRevoked, ...view }: TokenView): Page {
  const list = `${pathOf(base, studio)}/tokens`
  const path = `${list}/${token.id}`
  const revocable = studio.mayManage && token.revokedAt === null
  return {
    title: token.name,
    studio,
    tab: 'tokens',
    content: html`<p class="on-screen"><a href="${list}">All tokens</a></p>
<h1 class="typed">${token.name}${badges(token)}</h1>
${
  justRevoked &&
  token.revokedAt !== null &&
  success(
    html`<strong class="typed">${token.name}</strong> is revoked. Every request with it is refused from now on; its record stays.`,
  )
}
${facts(token)}
${revocable && revokeButton(`${path}/revoke`, token)}
${activity({ path, ...view.activity })}
${revocable && revokeDialog(csrfToken)}`,
  }
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
<p class="choices"><a class="button" href="${list}">Keep it</a> <button class="danger">Revoke</button></p>
</form>`,
  }
}

type CreatedView = {
  base: string
  studio: Studio
  name: string
  token: string
  /** The guide's section about that call and its answer. */
  curl: string
  /** Where that call and its answer are explained. */
  firstCallUrl: string
}

/** A new token, shown once.
 * Serves: "The full token is displayed once after creation; it cannot be shown again." */
export function createdPage({ base, studio, name, token, curl, firstCallUrl }: CreatedView): Page {
  return {
    title: 'Token created',
    studio,
    tab: 'tokens',
    content: html`<h1>Token created</h1>
${success(html`Copy the token <strong class="typed">${name}</strong> now. It cannot be shown again.`)}
${copied({ label: 'Token', id: 'token', text: token, primary: true })}
${copied({
  label: 'First call',
  id: 'curl',
  text: curl,
  about: html`Run it in a terminal. The documentation explains <a href="${firstCallUrl}">the first call</a> and its answer.`,
})}
<p class="onward"><a class="button" href="${pathOf(base, studio)}/tokens">I have copied it</a></p>`,
  }
}

type Copied = { label: string; id: string; text: string; primary?: boolean; about?: Html }

function copied({ label, id, text, primary, about }: Copied): Html {
  return html`<div class="secret${!primary && ' on-screen'}">
<h2 id="${id}-label">${label}</h2>
${about && html`<p class="soft">${about}</p>`}
<pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}" data-secret>${text}</code></pre>
<p><button type="button"${primary && html` class="primary"`} data-copy="${id}" hidden>Copy<span class="spoken"> ${label}</span></button> <span role="status" data-copied="${id}"></span></p>
</div>`
}
