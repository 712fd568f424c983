import { counted } from '../../../domain/text.ts'
import { type Html, html } from '../../html.ts'
import type { Visit } from '../context.ts'
import type { Member, Studio } from '../store.ts'
import { csrfInput, type Page, pathOf } from './layout.ts'
import { memberFacts, roleField, roles } from './members.ts'
import { said } from './parts.ts'

export type MemberView = {
  base: string
  studio: Studio
  member: Member
  visit: Visit
  /** Whether the role was changed by the form that led here. */
  justChanged?: boolean
  /** Why the form that was sent was not accepted. */
  error?: string
}

/** One member: the role, and the way to the removal. */
export function memberPage({ base, studio, member, visit, justChanged, error }: MemberView): Page {
  const list = `${pathOf(base, studio)}/members`
  const label = roles[member.role]?.label ?? member.role
  return {
    title: member.name,
    studio,
    tab: 'members',
    content: html`<p class="on-screen"><a href="${list}">All members</a></p>
<h1 class="typed">${member.name} <span class="badge">${label}</span></h1>
${justChanged && said(`The role is ${label} from now on.`)}
${memberFacts(member)}
${
  mayChange(studio, member)
    ? html`<form class="panel" method="post" action="${list}/${member.id}">
<h2>Change the role</h2>
${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
${csrfInput(visit.csrfToken)}
${roleField(studio, member.role)}
<p class="soft">The tokens that act as this person stay valid, and read the same, in every role.</p>
<button class="primary">Change role</button>
</form>
<form method="get" action="${list}/${member.id}/remove"><button class="danger">Remove<span class="spoken"> ${member.name}</span> from the studio</button></form>`
    : html`<p class="note">Only owners of the studio change the role of an owner, or remove one.</p>`
}`,
  }
}

/** Asks before a member is removed, and says what that does. */
export function removePage({ base, studio, member, visit, error }: MemberView): Page {
  const path = `${pathOf(base, studio)}/members/${member.id}`
  return {
    title: 'Remove a member',
    studio,
    tab: 'members',
    content: html`<h1>Remove this member?</h1>
<form class="panel" method="post" action="${path}/remove">
${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
<p><strong class="typed">${member.name}</strong> loses access to ${studio.name} at once.</p>
<ul>
${consequences(member).map((line) => html`<li>${line}</li>\n`)}
</ul>
${csrfInput(visit.csrfToken)}
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
      : html`<strong>${counted(tokens, 'token', 'tokens')}</strong> that ${tokens === 1 ? 'acts' : 'act'} as this person ${tokens === 1 ? 'is' : 'are'} revoked, for good.`,
    ...(scopedTokens === 0
      ? []
      : [
          `${counted(scopedTokens, 'token', 'tokens')} of others, scoped to this person, will act as the one who created it.`,
        ]),
    ...(analystLogins === 0
      ? []
      : [`${counted(analystLogins, 'analyst’s login', 'analysts’ logins')} of this person will see nothing.`]),
  ]
}
