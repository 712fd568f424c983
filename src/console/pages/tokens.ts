import { type Html, html } from '../../web/html.ts'
import type { ApiToken, Member, Studio } from '../store.ts'
import { alert, csrfInput, labelled, moment, type Page, pathOf, select, success } from './layout.ts'

type TokensView = {
  base: string
  studio: Studio
  tokens: readonly ApiToken[]
  /** The members that a token may be scoped to; empty for members, who create none. */
  members: readonly Member[]
  csrfToken: string
  /** Where a studio chooses a plan; undefined: unknown. */
  plansUrl: string | undefined
  draft?: Draft | undefined
  /** What has just happened. */
  notice?: string | undefined
}

/** The API tokens of a studio.
 * Serves: "Token list shows creation date, last-used time (or Never used), revocation date when
 * revoked"; "members get a read-only view and no Revoke button". */
export function tokensPage(view: TokensView): Page {
  const { studio, tokens, notice } = view
  return {
    title: 'API tokens',
    studio,
    tab: 'tokens',
    content: html`<h1>API tokens</h1>
<p class="soft">A token lets a program read the inventory of ${studio.name}. It cannot change anything.</p>
${notice !== undefined && success(notice)}
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
  const { studio } = view
  if (!studio.mayManage) {
    return html`<p class="note">Owners and admins of the studio create and revoke tokens. You can see them here.</p>`
  }
  return studio.plan === null ? upsell(view) : tokenForm(view)
}

/** Serves: "Accounts with no active paid plan see an upsell instead of the form". */
function upsell({ base, studio, tokens, plansUrl }: TokensView): Html {
  return html`<section class="note" aria-labelledby="upsell">
<h2 id="upsell">Creating tokens needs a plan</h2>
<p>The API is part of the Pro, Pro + Insure and Studio plans; a trial is enough.${
    tokens.length > 0 && ` Until ${studio.name} has one, requests with the tokens below are refused.`
  }</p>
${
  plansUrl === undefined
    ? html`<p>You cannot choose a plan in this console: ask the operator of this service for a plan or a trial for ${studio.name}.</p>`
    : html`<p><a class="button primary" href="${plansUrl}">Choose a plan</a></p>`
}
<p class="on-screen"><a href="${pathOf(base, studio)}/plan">The plan of ${studio.name}</a></p>
</section>`
}

function card({ base, studio }: TokensView, token: ApiToken): Html {
  const path = `${pathOf(base, studio)}/tokens/${token.id}`
  return html`<article${(token.revokedAt !== null || token.expired) && html` class="over"`}>
<h3><a class="typed" href="${path}">${token.name}</a>${badges(token)}</h3>
${facts(token)}
${studio.mayManage && token.revokedAt === null && revokeButton(`${path}/revoke`, token)}
</article>`
}

/** Shows that a token is revoked or expired, and its scope.
 * Serves: "Scoped tokens show a badge in the list; unscoped tokens show none." */
export function badges({ scope, revokedAt, expired }: ApiToken): Html {
  return html`${revokedAt !== null && html` <span class="badge bad">Revoked</span>`}${
    revokedAt === null && expired && html` <span class="badge bad">Expired</span>`
  }${scope !== null && html` <span class="badge">Scoped to ${scope}</span>`}`
}

/** What the console knows of a token, on its card and page. */
export function facts(token: ApiToken): Html {
  return html`<dl>
<div><dt>Token</dt><dd><code>${token.prefix}…</code></dd></div>
<div><dt>Created</dt><dd>${moment(token.createdAt)} by ${token.issuedBy}</dd></div>
<div><dt>Last used</dt><dd>${token.lastUsedAt === null ? 'Never used' : moment(token.lastUsedAt)}</dd></div>
${token.expiresAt !== null && html`<div><dt>${token.expired ? 'Expired' : 'Expires'}</dt><dd>${moment(token.expiresAt)}</dd></div>`}
${token.addresses !== null && html`<div><dt>Addresses</dt><dd class="typed">${token.addresses.join(', ')}</dd></div>`}
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

/** Links to the page that asks; the script opens a dialog instead. */
export function revokeButton(path: string, { name, prefix }: ApiToken): Html {
  return html`<form class="revocation" method="get" action="${path}"><button class="danger" data-revoke="${name}" data-prefix="${prefix}…">Revoke<span class="spoken"> ${name}</span></button></form>`
}

/** The script opens it instead of the page that asks. It focuses the answer that changes
 * nothing.
 * Serves: "Revoke (owner or admin, confirmed in a dialog)". */
export function revokeDialog(csrfToken: string): Html {
  return html`<dialog id="revoke" aria-labelledby="revoke-title" aria-describedby="revoke-consequence">
<form method="post">
<h2 id="revoke-title">Revoke this token?</h2>
<p id="revoke-consequence"><strong class="typed" data-name></strong> (<code data-prefix></code>) stops working at once, for good. Its record stays.</p>
${csrfInput(csrfToken)}
<p class="choices"><button type="button" data-close autofocus>Keep it</button> <button class="danger">Revoke</button></p>
</form>
</dialog>`
}

/** The draft of the form, and why it was refused. */
export type Draft = { name: string; scope: string; expires: string; addresses: string; error?: string }

/** The form that creates a token. */
function tokenForm({ base, studio, members, csrfToken, draft }: TokensView): Html {
  const error = draft?.error
  const { name = '', scope = '', expires = '', addresses = '' } = draft ?? {}
  return html`<form class="panel" method="post" action="${pathOf(base, studio)}/tokens">
<h2>Create a token</h2>
${alert(error)}
${csrfInput(csrfToken)}
${labelled(
  'name',
  'Name',
  html`<input id="name" name="name" required autocomplete="off" value="${name}" aria-describedby="name-hint${error !== undefined && ' error'}"${error !== undefined && html` autofocus`}>`,
  'What it is for, up to 100 characters.',
)}
${
  members.length > 1 &&
  labelled(
    'scope',
    'Scope to team member',
    select('scope', scope, [['', 'Full studio access'], ...members.map(choiceOf)], 'scope-hint'),
    html`Either way the token reads the whole inventory of the studio. A scoped token acts as the person chosen; when they
leave the studio, it acts as you. Without a scope it acts as you, and is refused when you leave.`,
  )
}
${labelled(
  'expires',
  'Last day',
  html`<input id="expires" name="expires" type="date" autocomplete="off" value="${expires}" aria-describedby="expires-hint">`,
  'The last day on which it works, on the calendar of the studio. Empty: it does not expire.',
)}
${labelled(
  'addresses',
  'Addresses',
  html`<textarea id="addresses" name="addresses" rows="2" autocomplete="off" spellcheck="false" aria-describedby="addresses-hint">${addresses}</textarea>`,
  html`Where its requests may come from: IP addresses or networks such as <code>203.0.113.0/24</code>, up to 50. Empty: anywhere.`,
)}
<button class="primary">Create token</button>
</form>`
}

const choiceOf = ({ id, name, email, role }: Member) => [id, `${name} (${email}, ${role})`] as const
