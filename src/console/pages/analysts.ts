import { counted } from '../../domain/text.ts'
import { type Html, html } from '../../web/html.ts'
import type { Member, Studio } from '../store.ts'
import { csrfInput, labelled, type Page, pathOf, relative, select, stackedTable, success } from './layout.ts'
import { copied } from './token.ts'

/** An analyst's login. Timestamps are RFC 3339 in UTC; `for` is the member's e-mail, or null. */
export type AnalystLogin = {
  login: string
  for: string | null
  state: string
  createdAt: string
  validUntil: string | null
  sessions: number
}

/** For how many days a login may be valid. */
export const validDays = [30, 90, 365] as const

type View = { base: string; studio: Studio }

const states: Readonly<Record<string, string>> = {
  active: 'Active',
  expired: 'Expired',
  unmapped: 'Ended',
  missing: 'Ended',
  dropped: 'Ended',
}

/** The logins with which analysts read the studio in SQL and GraphQL. */
export function analystsPage(view: View & { logins: readonly AnalystLogin[]; notice?: Html | undefined }): Page {
  const { base, studio, logins, notice } = view
  const path = `${pathOf(base, studio)}/analysts`
  return {
    title: 'Analysts',
    studio,
    tab: 'analysts',
    content: html`<div class="headed"><h1 id="analysts">Analysts</h1>
<a class="button primary" href="${path}/new">New login</a></div>
<p class="soft">A login reads ${studio.name} in SQL, in any BI tool, and in GraphQL. It cannot change anything.</p>
${notice}
${logins.length === 0 ? html`<p>There are no logins yet.</p>` : table(path, logins)}`,
  }
}

const columns = [
  { label: 'Login' },
  { label: 'For' },
  { label: 'Created' },
  { label: 'Valid until' },
  { label: 'State' },
  { label: 'End', spoken: true },
]

function table(path: string, logins: readonly AnalystLogin[]): Html {
  const rows = logins.map(({ login, for: member, createdAt, validUntil, state, sessions }) => ({
    over: state !== 'active',
    cells: [
      html`<code>${login}</code>`,
      member ?? 'The studio',
      relative(createdAt),
      validUntil && relative(validUntil),
      `${states[state] ?? state}${sessions > 0 ? `, ${counted(sessions, 'open session', 'open sessions')}` : ''}`,
      ['active', 'expired'].includes(state) &&
        html`<a class="button danger" href="${path}/${login}/end">End<span class="spoken"> ${login}</span></a>`,
    ],
  }))
  return stackedTable('analysts', columns, rows)
}

/** The form that creates a login. */
export function newAnalystPage({
  base,
  studio,
  members,
  csrfToken,
}: View & { members: readonly Member[]; csrfToken: string }): Page {
  const path = `${pathOf(base, studio)}/analysts`
  const people = members.map(({ id, name, email }) => [id, `${name} (${email})`] as const)
  return {
    title: 'New login',
    studio,
    tab: 'analysts',
    content: html`<p class="on-screen"><a href="${path}">All logins</a></p>
<h1>New login</h1>
<form class="panel" method="post" action="${path}">
${csrfInput(csrfToken)}
${labelled('member', 'For', select('member', '', [['', 'The studio'], ...people], 'member-hint'), 'A member’s login ends when they leave the studio.')}
${labelled(
  'days',
  'Expiration',
  select(
    'days',
    '90',
    validDays.map((days) => [String(days), days === 365 ? 'A year' : `${days} days`] as const),
    'days-hint',
  ),
  'After that time nobody can connect with the login.',
)}
<p class="choices"><button class="primary">Create login</button> <a class="button" href="${path}">Cancel</a></p>
</form>`,
  }
}

/** A new login with its secrets, shown once. */
export function createdPage({
  base,
  studio,
  login,
  url,
  identity,
}: View & { login: string; url: string; identity: string }): Page {
  return {
    title: 'Login created',
    studio,
    tab: 'analysts',
    content: html`<h1>Login created</h1>
${success(html`Copy the secrets of <code>${login}</code> now. They cannot be shown again.`)}
${url === '' ? html`<p>This service offers analysts GraphQL, but no SQL.</p>` : copied({ label: 'Connection string', id: 'url', text: url, primary: true, about: 'For psql and BI tools. It contains the password.' })}
${copied({ label: 'Identity for GraphQL', id: 'identity', text: identity, about: html`Send it as <code>Authorization: Bearer …</code>. It works until the login ends, for at most 90 days.` })}
<p class="onward"><a class="button" href="${pathOf(base, studio)}/analysts">I have copied it</a></p>`,
  }
}

/** Asks before a login ends. */
export function endPage({ base, studio, login, csrfToken }: View & { login: string; csrfToken: string }): Page {
  const path = `${pathOf(base, studio)}/analysts`
  return {
    title: 'End a login',
    studio,
    tab: 'analysts',
    content: html`<h1>End this login?</h1>
<form class="panel" method="post" action="${path}/${login}/end">
<p><code>${login}</code>. The login stops working immediately, in SQL and in GraphQL, and its open sessions end.</p>
${csrfInput(csrfToken)}
<p class="choices"><a class="button" href="${path}">Keep it</a> <button class="danger">End login</button></p>
</form>`,
  }
}
