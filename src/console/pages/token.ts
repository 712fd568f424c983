import { type Html, html } from '../../web/html.ts'
import { type ActivityView, activity, requestSearch } from '../activity.ts'
import type { Member, Studio } from '../store.ts'
import type { ApiToken } from '../store-tokens.ts'
import { csrfInput, information, labelled, moment, type Page, pathOf, refusable, select, success } from './layout.ts'
import { badges, dayIn, expiryOf, revokeButton, revokeDialog, whatRevokingDoes } from './tokens.ts'

type TokenView = {
  base: string
  studio: Studio
  token: ApiToken
  csrfToken: string
  /** Whether the last form revoked the token. */
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
    html`<strong class="typed">${token.name}</strong> is revoked. Requests with it are now refused. Its history is kept.`,
  )
}
${facts(token, studio.timezone)}
${revocable && revokeButton(`${path}/revoke`, token)}
${activity({ path, ...view.activity })}
${view.activity.requests.length > 0 && requestSearch(list)}
${revocable && revokeDialog(csrfToken)}`,
  }
}

/** What the console knows of a token. */
function facts(token: ApiToken, timezone: string): Html {
  const expiry = expiryOf(token, timezone)
  return html`<dl>
<div><dt>Token</dt><dd><code>${token.prefix}…</code></dd></div>
<div><dt>Created</dt><dd>${moment(token.createdAt)} by ${token.issuedBy}</dd></div>
<div><dt>Last used</dt><dd>${token.lastUsedAt === null ? 'Never used' : moment(token.lastUsedAt)}</dd></div>
${expiry && html`<div><dt>${token.expired ? 'Expired' : 'Expires'}</dt><dd>${expiry}</dd></div>`}
${token.addresses !== null && html`<div><dt>Allowed IP addresses</dt><dd class="typed">${token.addresses.join(', ')}</dd></div>`}
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

/** Asks before a token is revoked. */
export function revokePage(base: string, studio: Studio, token: ApiToken, csrfToken: string): Page {
  const list = `${pathOf(base, studio)}/tokens`
  return {
    title: 'Revoke a token',
    studio,
    tab: 'tokens',
    content: html`<h1>Revoke this token?</h1>
<form class="panel" method="post" action="${list}/${token.id}/revoke">
<p><strong class="typed">${token.name}</strong> (<code>${token.prefix}…</code>). ${whatRevokingDoes}</p>
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
  /** The command of a first call. */
  curl: string
  /** Where that call and its response are explained. */
  firstCallUrl: string
  /** The form that sends requests. */
  tryUrl: string
  /** The reader's address if the token does not work from there; undefined if it does. */
  refusedAddress: string | undefined
}

/** A new token, shown once.
 * Serves: "The full token is displayed once after creation; it cannot be shown again." */
export function createdPage(view: CreatedView): Page {
  const { base, studio, name, token, curl, firstCallUrl, tryUrl, refusedAddress } = view
  return {
    title: 'Token created',
    studio,
    tab: 'tokens',
    content: html`<h1>Token created</h1>
${success(html`Copy the token <strong class="typed">${name}</strong> now. It cannot be shown again.`)}
${
  refusedAddress !== undefined &&
  html`<p class="warning" role="note">Your own IP address, <code>${refusedAddress}</code>, is not among the allowed IP addresses of this
token. Requests from this computer are refused with 401.</p>`
}
${copied({ label: 'Token', id: 'token', text: token, primary: true })}
${copied({
  label: 'First call',
  id: 'curl',
  text: curl,
  about: html`Run it in a terminal. The documentation explains <a href="${firstCallUrl}">the first call</a> and its response.`,
})}
<p class="onward"><a class="button needs-script" href="${tryUrl}" data-try>Try it in the browser</a> <a class="button" href="${pathOf(base, studio)}/tokens">I have copied it</a></p>`,
  }
}

type Copied = { label: string; id: string; text: string; primary?: boolean; about?: Html | string }

/** A text that is shown once, with a button that copies it. */
export function copied({ label, id, text, primary, about }: Copied): Html {
  return html`<div class="secret${!primary && ' on-screen'}">
<h2 id="${id}-label">${label}</h2>
${about && html`<p class="soft">${about}</p>`}
<div class="code"><pre tabindex="0" role="region" aria-labelledby="${id}-label"><code id="${id}" data-secret>${text}</code></pre></div>
<p><button type="button"${primary && html` class="primary"`} data-copy="${id}" hidden>Copy<span class="spoken"> ${label}</span></button> <span role="status" data-copied="${id}"></span></p>
</div>`
}

/** What was typed into the form, by the names of its fields. */
export type Draft = Partial<Record<'name' | 'scope' | 'expires' | 'last_day' | 'addresses', string>>

/** Says why fields were refused: a sentence for the name of each. */
export type Refusals = Partial<Record<keyof Draft, string>>

type NewTokenView = {
  base: string
  studio: Studio
  /** The members that a token may be scoped to. */
  members: readonly Member[]
  csrfToken: string
  draft?: Draft | undefined
  errors?: Refusals | undefined
  /** What did not happen, and why. */
  notice?: string | undefined
  /** The present moment. */
  now?: Date
}

/** The choices of a token's duration: how many days from today it works. */
export const durations = { 30: '30 days', 90: '90 days', 365: 'A year' } as const

/** The last day of a duration on a studio's calendar. */
export const lastDayAfter = (days: number, timezone: string, now = new Date()): string => dayIn(timezone, now, days)

/** The form that creates a token. A refused field says why, and the first one has the focus. */
export function newTokenPage(view: NewTokenView): Page {
  const { base, studio, members, csrfToken, draft = {}, errors = {}, notice } = view
  const wrong = Object.keys(errors) as (keyof Draft)[]
  return {
    title: 'New token',
    studio,
    tab: 'tokens',
    content: html`<p class="on-screen"><a href="${pathOf(base, studio)}/tokens">All tokens</a></p>
<h1>New token</h1>
${notice !== undefined && information(notice)}
<form class="panel" method="post" action="${pathOf(base, studio)}/tokens">
${wrong.length > 0 && html`<p class="error" role="alert">No token was created. ${wrong.map((name) => html`<a href="#${name}">${errors[name]}</a> `)}</p>`}
${csrfInput(csrfToken)}
${refusable(errors, 'name', 'Name', (attributes) => html`<input id="name" name="name" required autocomplete="off" value="${draft.name ?? ''}"${attributes}>`, 'What the token is for, such as “Bookkeeping”. Up to 100 characters.')}
${expiry(view)}
${members.length > 1 && scopeChoice(view)}
${refusable(
  errors,
  'addresses',
  'Allowed IP addresses',
  (attributes) =>
    html`<textarea id="addresses" name="addresses" rows="2" autocomplete="off" spellcheck="false"${attributes}>${draft.addresses ?? ''}</textarea>`,
  html`Up to 50 IP addresses, or networks such as <code>203.0.113.0/24</code>. Leave empty to allow any address.`,
)}
<p class="choices"><button class="primary">Create token</button> <a class="button" href="${pathOf(base, studio)}/tokens">Cancel</a></p>
</form>`,
  }
}

function expiry(view: NewTokenView): Html {
  const { studio, draft = {}, now } = view
  const chosen = draft.expires || (draft.last_day ? 'date' : '365')
  const choices = [
    ...Object.entries(durations).map(
      ([days, label]) => [days, `${label}, until ${lastDayAfter(Number(days), studio.timezone, now)}`] as const,
    ),
    ['date', 'Custom date'],
    ['none', 'No expiration'],
  ] as const
  return html`${labelled('expires', 'Expiration', select('expires', chosen, choices, 'expires-hint'), 'The token stops working after its last day. Days begin and end in the studio’s time zone.')}
<div class="chosen-day">${refusable(
    view.errors ?? {},
    'last_day',
    'Last day',
    (attributes) =>
      html`<input id="last_day" name="last_day" type="date" autocomplete="off" value="${draft.last_day ?? ''}"${attributes}>`,
    'Only for “Custom date”.',
  )}</div>`
}

/** Serves: "an optional Scope to team member choice … its default, Full studio access". */
function scopeChoice(view: NewTokenView): Html {
  const { members, draft = {}, errors = {} } = view
  const choices = [['', 'Full studio access'], ...members.map(choiceOf)] as const
  const error = errors.scope
  return labelled(
    'scope',
    'Scope to team member',
    html`${select('scope', draft.scope, choices, `scope-hint${error === undefined ? '' : ' scope-error'}`)}${error !== undefined && html`<p class="wrong" id="scope-error">${error}</p>`}`,
    `Every token reads the whole inventory; a scope does not limit that. Scope the token to the person who uses it: the list then
shows whose it is, and it continues to work if you leave the studio. If that person leaves, it acts as you. With full studio
access it acts as you, and stops working when you leave.`,
  )
}

const choiceOf = ({ id, name, email, role }: Member) => [id, `${name} (${email}, ${role})`] as const
