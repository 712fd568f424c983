import { type Html, html } from '../../web/html.ts'
import { requestSearch } from '../activity.ts'
import type { Studio } from '../store.ts'
import type { ApiToken } from '../store-tokens.ts'
import { csrfInput, information, type Page, pathOf, relative, stackedTable } from './layout.ts'

type TokensView = {
  base: string
  studio: Studio
  tokens: readonly ApiToken[]
  csrfToken: string
  /** The page where a studio chooses a plan; undefined if the service does not know it. */
  plansUrl: string | undefined
  /** Says what did not happen, and why. */
  notice?: string | undefined
}

/** The API tokens of a studio.
 * Serves: "Token list shows creation date, last-used time (or Never used), revocation date when
 * revoked"; "members get a read-only view and no Revoke button". */
export function tokensPage(view: TokensView): Page {
  const { base, studio, tokens, notice } = view
  const creates = studio.mayManage && studio.plan !== null
  return {
    title: 'API tokens',
    studio,
    tab: 'tokens',
    content: html`<div class="headed"><h1 id="tokens">API tokens</h1>
${creates && html`<a class="button primary" href="${pathOf(base, studio)}/tokens/new">New token</a>`}</div>
<p class="soft">A token lets a program read the inventory of ${studio.name}. It cannot change anything.</p>
${notice !== undefined && information(notice)}
${!studio.mayManage && html`<p class="note">Owners and admins of the studio create and revoke tokens. You can see them here.</p>`}
${studio.mayManage && !creates && upsell(view)}
${
  tokens.length === 0
    ? html`<p>There are no tokens yet.</p>`
    : html`${table(view)}
${requestSearch(`${pathOf(base, studio)}/tokens`)}`
}
${studio.mayManage && revokeDialog(view.csrfToken)}`,
  }
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
    ? html`<p>You cannot choose a plan in this console. Ask the operator of this service for a plan or a trial for ${studio.name}.</p>`
    : html`<p><a class="button primary" href="${plansUrl}">Choose a plan</a></p>`
}
<p class="on-screen"><a href="${pathOf(base, studio)}/plan">The plan of ${studio.name}</a></p>
</section>`
}

function table(view: TokensView): Html {
  const revoke = { label: 'Revoke', spoken: true }
  const columns = [{ label: 'Name' }, { label: 'Created' }, { label: 'Last used' }, { label: 'Expires' }]
  const rows = view.tokens.map((token) => row(view, token))
  return stackedTable('tokens', view.studio.mayManage ? [...columns, revoke] : columns, rows)
}

function row({ base, studio }: TokensView, token: ApiToken) {
  const { name, prefix, createdAt, issuedBy, lastUsedAt, revokedAt, expired } = token
  const path = `${pathOf(base, studio)}/tokens/${token.id}`
  return {
    over: revokedAt !== null || expired,
    cells: [
      html`<a class="typed" href="${path}">${name}</a>${badges(token)}<br><code class="soft">${prefix}…</code>`,
      html`${relative(createdAt)} by ${issuedBy}`,
      lastUsedAt === null ? 'Never used' : relative(lastUsedAt),
      revokedAt === null
        ? (expiryOf(token, studio.timezone) ?? 'Never')
        : { unlabelled: html`Revoked ${relative(revokedAt)}` },
      studio.mayManage && revokedAt === null && revokeButton(`${path}/revoke`, token),
    ],
  }
}

/** When a token expires; null: never. A last day is shown as that day. */
export function expiryOf({ expiresAt }: Pick<ApiToken, 'expiresAt'>, timezone: string): Html | null {
  if (expiresAt === null) return null
  const end = new Date(expiresAt)
  const lastDay = dayIn(timezone, new Date(end.getTime() - 1))
  if (lastDay === dayIn(timezone, end)) return relative(expiresAt)
  return html`<span class="day">Last day <time datetime="${lastDay}" data-day>${lastDay}</time></span>`
}

/** The day at a moment on a studio's calendar, some days later, as YYYY-MM-DD. */
export function dayIn(timeZone: string, moment: Date, daysLater = 0): string {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const later = new Date(`${day.format(moment)}T00:00:00Z`)
  later.setUTCDate(later.getUTCDate() + daysLater)
  return later.toISOString().slice(0, 10)
}

/** Shows that a token is revoked or expired, and its scope.
 * Serves: "Scoped tokens show a badge in the list; unscoped tokens show none." */
export function badges({ scope, revokedAt, expired, refused }: ApiToken): Html {
  const working = revokedAt === null && !expired
  return html`${revokedAt !== null && html` <span class="badge bad">Revoked</span>`}${
    revokedAt === null && expired && html` <span class="badge bad">Expired</span>`
  }${working && refused && html` <span class="badge bad">Refused</span>`}${
    scope !== null && html` <span class="badge">Scoped to ${scope}</span>`
  }`
}

/** Links to the page that asks; the script opens a dialog instead. */
export function revokeButton(path: string, { name, prefix }: ApiToken): Html {
  return html`<form class="revocation" method="get" action="${path}"><button class="danger" data-revoke="${name}" data-prefix="${prefix}…">Revoke<span class="spoken"> ${name}</span></button></form>`
}

export const whatRevokingDoes = 'The token stops working immediately. Its history is kept.'

/** The script opens it instead of the page that asks. It focuses the answer that changes
 * nothing.
 * Serves: "Revoke (owner or admin, confirmed in a dialog)". */
export function revokeDialog(csrfToken: string): Html {
  return html`<dialog id="revoke" aria-labelledby="revoke-title" aria-describedby="revoke-consequence">
<form method="post">
<h2 id="revoke-title">Revoke this token?</h2>
<p id="revoke-consequence"><strong class="typed" data-name></strong> (<code data-prefix></code>). ${whatRevokingDoes}</p>
${csrfInput(csrfToken)}
<p class="choices"><button type="button" data-close autofocus>Keep it</button> <button class="danger">Revoke</button></p>
</form>
</dialog>`
}
