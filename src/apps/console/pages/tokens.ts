import { type Html, html } from '../../html.ts'
import type { ApiToken, Member, Studio } from '../store.ts'
import { csrfInput, moment, type Page, pathOf } from './layout.ts'

/** What was typed into the form, and why it was not accepted. */
export type Draft = { name: string; scope: string; error: string }

export type TokensView = {
  base: string
  studio: Studio
  tokens: readonly ApiToken[]
  /** Whom a token can be scoped to; empty for members, who create none. */
  members: readonly Member[]
  csrfToken: string
  draft?: Draft
  /** What has just happened. */
  notice?: string | undefined
}

/**
 * The API tokens of a studio.
 *
 * Serves: "Token list shows creation date, last-used time (or Never used), revocation date when revoked"; "members get a
 * read-only view and no Revoke button".
 */
export function tokensPage(view: TokensView): Page {
  const { studio, tokens, notice } = view
  return {
    title: 'API tokens',
    studio,
    tab: 'tokens',
    content: html`<h1>API tokens</h1>
<p class="soft">A token lets a program read the inventory of ${studio.name}. It cannot change anything.</p>
${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${creation(view)}
<section aria-labelledby="tokens">
<h2 id="tokens">Tokens</h2>
${tokens.length === 0 && html`<p>There are no tokens yet.</p>`}
<ul class="cards">
${tokens.map((token) => html`<li>${card(view, token)}</li>\n`)}
</ul>
</section>
${studio.mayManage && revokeDialog(view.csrfToken)}`,
  }
}

function creation(view: TokensView): Html {
  const { studio, tokens } = view
  if (!studio.mayManage) {
    return html`<p class="note">Owners and admins of the studio create and revoke tokens. You can see them here.</p>`
  }
  if (studio.plan === null) {
    return html`<section class="note" aria-labelledby="upsell">
<h2 id="upsell">Creating tokens needs a plan</h2>
<p>The API is part of the Pro and Studio plans; a trial is enough. Choose a plan for ${studio.name} to create tokens.${
      tokens.length > 0 && ' Until then requests with the tokens below are refused.'
    }</p>
</section>`
  }
  return form(view)
}

function form({ base, studio, members, csrfToken, draft }: TokensView): Html {
  const error = draft?.error
  return html`<form class="panel" method="post" action="${pathOf(base, studio)}/tokens">
<h2>Create a token</h2>
${error !== undefined && html`<p class="error" id="error" role="alert">${error}</p>`}
${csrfInput(csrfToken)}
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" required autocomplete="off" value="${draft?.name ?? ''}" aria-describedby="name-hint${error !== undefined && ' error'}"${error !== undefined && html` autofocus`}>
<p class="soft" id="name-hint">What it is for, up to 100 characters.</p>
</div>
${members.length > 1 && scopeField(members, draft?.scope)}
<button class="primary">Create token</button>
</form>`
}

function scopeField(members: readonly Member[], chosen = ''): Html {
  return html`<div class="field">
<label for="scope">Scope to team member</label>
<select id="scope" name="scope" aria-describedby="scope-hint">
<option value="">Full studio access</option>
${members.map(
  ({ id, name, email, role }) =>
    html`<option value="${id}"${id === chosen && html` selected`}>${name} (${email}, ${role})</option>\n`,
)}
</select>
<p class="soft" id="scope-hint">A scoped token acts as that person; without one it acts as you.</p>
</div>`
}

function card({ base, studio }: TokensView, token: ApiToken): Html {
  const path = `${pathOf(base, studio)}/tokens/${token.id}`
  return html`<article${token.revokedAt !== null && html` class="over"`}>
<h3><a class="typed" href="${path}">${token.name}</a>${badge(token)}</h3>
${facts(token)}
${
  studio.mayManage &&
  token.revokedAt === null &&
  html`<p><a class="button danger" href="${path}/revoke" data-revoke="${token.name}">Revoke<span class="spoken"> ${token.name}</span></a></p>`
}
</article>`
}

/** Serves: "Scoped tokens show a badge in the list; unscoped tokens show none." */
export function badge({ scope }: ApiToken): Html {
  return scope === null ? html`` : html` <span class="badge">Scoped to ${scope}</span>`
}

/** What is known of a token, on its card and on its own page. */
export function facts(token: ApiToken): Html {
  return html`<dl>
<div><dt>Token</dt><dd><code>${token.prefix}…</code></dd></div>
<div><dt>Created</dt><dd>${moment(token.createdAt)} by ${token.issuedBy}</dd></div>
<div><dt>Last used</dt><dd>${token.lastUsedAt === null ? 'Never used' : moment(token.lastUsedAt)}</dd></div>
${token.revokedAt !== null && html`<div><dt>Revoked</dt><dd>${moment(token.revokedAt)}</dd></div>`}
</dl>
${
  token.revokedAt === null &&
  token.formerScope !== null &&
  html`<p class="soft">${token.formerScope}, to whom it was scoped, was removed from the studio. It now acts as ${token.issuedBy}.</p>`
}
${
  token.refused &&
  html`<p class="soft">It acts as ${token.issuedBy}, who is no longer a member: requests with it are refused.</p>`
}`
}

/** Opened by the script in place of the page that asks the same. */
export function revokeDialog(csrfToken: string): Html {
  return html`<dialog id="revoke" aria-labelledby="revoke-title">
<form method="post">
<h2 id="revoke-title">Revoke this token?</h2>
<p><strong class="typed" data-name></strong> stops working at once, for good. Its record stays.</p>
${csrfInput(csrfToken)}
<p class="choices"><button class="danger">Revoke</button> <button type="button" class="quiet" data-close>Keep it</button></p>
</form>
</dialog>`
}
