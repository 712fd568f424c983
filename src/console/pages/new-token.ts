import { type Html, html } from '../../web/html.ts'
import type { Member, Studio } from '../store.ts'
import { csrfInput, information, labelled, type Page, pathOf, refusable, select } from './layout.ts'
import { dayIn } from './tokens.ts'

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
