import { counted } from '../../domain/text.ts'
import { type Html, html } from '../../web/html.ts'
import type { Session } from '../guards.ts'
import type { Member, Studio } from '../store.ts'
import { alert, csrfInput, labelled, moment, type Page, pathOf, select, success } from './layout.ts'

/** The draft of a form, and why it was refused. */
export type MemberDraft = { email: string; name: string; role: string; error: string }

type MembersView = {
  base: string
  studio: Studio
  members: readonly Member[]
  session: Session
  draft?: MemberDraft | undefined
  /** The id of the new member. */
  added?: string | null
  /** Whether the last form removed a member. */
  justRemoved?: boolean
}

/** The roles: the console's names, and what each may do. */
const roles: Readonly<Record<string, { label: string; may: string }>> = {
  member: { label: 'Member', may: 'sees the studio, its tokens and their activity' },
  admin: {
    label: 'Admin',
    may: 'also manages tokens and members, imports files, sees the plan, reads the audit log and downloads the report',
  },
  owner: { label: 'Owner', may: 'also manages owners' },
}

/** The members of a studio, for its owners and admins. */
export function membersPage({ base, studio, members, session, draft, added, justRemoved }: MembersView): Page {
  const newcomer = members.find(({ id }) => id === added)
  return {
    title: 'Members',
    studio,
    tab: 'members',
    content: html`<h1>Members</h1>
<p class="soft">People who can sign in to ${studio.name}. Each token acts as one of them.</p>
${newcomer && success(html`<strong class="typed">${newcomer.name}</strong> is a member, and can sign in as ${newcomer.email}.`)}
${justRemoved && success('The member was removed.')}
<form class="panel" method="post" action="${pathOf(base, studio)}/members">
<h2>Add a member</h2>
${alert(draft?.error)}
${csrfInput(session.csrfToken)}
${labelled(
  'email',
  'E-mail',
  html`<input id="email" name="email" type="email" required autocomplete="off" value="${draft?.email ?? ''}" aria-describedby="email-hint${draft !== undefined && ' error'}"${draft !== undefined && html` autofocus`}>`,
  'The address the person signs in with. No invitation is sent, so let them know yourself.',
)}
${labelled(
  'name',
  'Name',
  html`<input id="name" name="name" autocomplete="off" maxlength="100" value="${draft?.name ?? ''}" aria-describedby="name-hint">`,
  'The person’s name in this studio. Leave empty to show the e-mail.',
)}
${roleField(studio, draft?.role ?? 'member')}
<button class="primary">Add member</button>
</form>
<section aria-labelledby="members">
<h2 id="members">Current members</h2>
<ul class="cards">
${members.map((member) => html`<li>${card(base, studio, member)}</li>\n`)}
</ul>
</section>`,
  }
}

/** The choice of a role; only owners can choose owner. */
function roleField(studio: Studio, chosen: string): Html {
  const choices = Object.entries(roles).filter(([role]) => role !== 'owner' || studio.role === 'owner')
  return labelled(
    'role',
    'Role',
    select(
      'role',
      chosen,
      choices.map(([role, { label }]) => [role, label] as const),
      'role-hint',
    ),
    choices.map(([, { label, may }]) => `${label}: ${may}.`).join(' '),
  )
}

function card(base: string, studio: Studio, member: Member): Html {
  return html`<article>
<h3><a class="typed" href="${pathOf(base, studio)}/members/${member.id}">${member.name}</a> <span class="badge">${roles[member.role]?.label}</span>${member.id === studio.yourId && html` <span class="badge">You</span>`}</h3>
${memberFacts(member)}
</article>`
}

/** What the console knows of a member, on their card and page. */
function memberFacts({ email, since, tokens }: Member): Html {
  return html`<dl>
<div><dt>E-mail</dt><dd class="typed">${email}</dd></div>
<div><dt>Member since</dt><dd>${moment(since)}</dd></div>
<div><dt>Tokens</dt><dd>${tokens === 0 ? 'None' : String(tokens)}</dd></div>
</dl>`
}

type MemberView = {
  base: string
  studio: Studio
  member: Member
  session: Session
  /** Whether the last form changed the role. */
  justChanged?: boolean
  /** Why the last form was refused. */
  error?: string
}

/** A member: the role, and a link to the removal. */
export function memberPage({ base, studio, member, session, justChanged, error }: MemberView): Page {
  const list = `${pathOf(base, studio)}/members`
  const label = roles[member.role]?.label ?? member.role
  return {
    title: member.name,
    studio,
    tab: 'members',
    content: html`<p class="on-screen"><a href="${list}">All members</a></p>
<h1 class="typed">${member.name} <span class="badge">${label}</span></h1>
${justChanged && success(`The role is now ${label}.`)}
${memberFacts(member)}
${
  mayChange(studio, member)
    ? html`<form class="panel" method="post" action="${list}/${member.id}">
<h2>Change the role</h2>
${alert(error)}
${csrfInput(session.csrfToken)}
${roleField(studio, member.role)}
<p class="soft">Tokens that act as this person keep working and read the same data, whatever the role.</p>
<button class="primary">Change role</button>
</form>
<form method="get" action="${list}/${member.id}/remove"><button class="danger">Remove<span class="spoken"> ${member.name}</span> from the studio</button></form>`
    : html`<p class="note">Only owners can change the role of an owner or remove one.</p>`
}`,
  }
}

/** Asks before the removal of a member, and says what it does. */
export function removePage({ base, studio, member, session, error }: MemberView): Page {
  const path = `${pathOf(base, studio)}/members/${member.id}`
  return {
    title: 'Remove a member',
    studio,
    tab: 'members',
    content: html`<h1>Remove this member?</h1>
<form class="panel" method="post" action="${path}/remove">
${alert(error)}
<p><strong class="typed">${member.name}</strong> immediately loses access to ${studio.name}.</p>
<ul>
${consequences(member).map((line) => html`<li>${line}</li>\n`)}
</ul>
${csrfInput(session.csrfToken)}
<p class="choices"><a class="button" href="${path}">Keep them</a> <button class="danger">Remove</button></p>
</form>`,
  }
}

function mayChange(studio: Studio, member: Member): boolean {
  return member.role !== 'owner' || studio.role === 'owner'
}

function consequences({ tokens, scopedTokens, analystLogins }: Member): (Html | string)[] {
  return [
    tokens === 0
      ? 'No token is revoked.'
      : html`<strong>${counted(tokens, 'token', 'tokens')}</strong> that ${tokens === 1 ? 'acts' : 'act'} as this person ${tokens === 1 ? 'is' : 'are'} revoked immediately.`,
    ...(scopedTokens === 0
      ? []
      : [
          `${counted(scopedTokens, 'token', 'tokens')} that others created and scoped to this person will act as the creator.`,
        ]),
    ...(analystLogins === 0
      ? []
      : [`${counted(analystLogins, 'analyst’s login', 'analysts’ logins')} of this person will stop working.`]),
  ]
}
