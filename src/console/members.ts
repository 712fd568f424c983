import { StatementFailed } from '../database/errors.ts'
import type { Context } from './context.ts'
import { field, parametersOf } from './forms.ts'
import { idIn, limitAttempts, notFound, PageError, requireManager, type StudioRequest } from './guards.ts'
import { pathOf } from './pages/layout.ts'
import { type MemberDraft, memberPage, membersPage, removePage } from './pages/members.ts'
import { show } from './respond.ts'
import type { Member, Studio } from './store.ts'

/** The handlers of a studio's members. The database decides what a person may see and do. */
export function memberHandlers(context: Context) {
  const { store, base, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/members`

  async function showList(
    { response, session, studio }: StudioRequest,
    status: number,
    more: { draft?: MemberDraft; added?: string | null; justRemoved?: boolean },
  ): Promise<void> {
    const members = await store.members(session.digest, studio.id)
    show(context, response, status, membersPage({ base, studio, members, session, ...more }))
  }

  /** GET /studios/:studio/members */
  const list = requireManager((at) => {
    const parameters = parametersOf(at.request)
    return showList(at, 200, { added: parameters.get('added'), justRemoved: parameters.get('done') === 'removed' })
  })

  /** POST /studios/:studio/members */
  const add = requireManager(async (at) => {
    const { request, response, session, studio } = at
    await limitAttempts(context.limiter, 'new-member', session.person.id, config.console.tokensPerMinute)
    const [email, name] = [field(request, 'email').trim(), field(request, 'name').trim()]
    const draft = { email, name, role: field(request, 'role') }
    try {
      const id = await store.admitMember(session.digest, studio.id, draft)
      response.redirect(303, `${listPath(studio)}?added=${id}`)
    } catch (error) {
      const why = refusalOf(error, 'This person is already a member.')
      await showList(at, 422, { draft: { ...draft, error: `${why} Nobody was added.` } })
    }
  })

  /** A handler for a page of the member in the path. */
  const ofMember = (handle: (at: StudioRequest & { member: Member }) => unknown) =>
    requireManager(async (at) => {
      const id = idIn(at.request, 'member')
      const member = (await store.members(at.session.digest, at.studio.id)).find((candidate) => candidate.id === id)
      if (member === undefined) throw notFound()
      await handle({ ...at, member })
    })

  /** GET /studios/:studio/members/:member */
  const one = ofMember(({ request, response, session, studio, member }) => {
    const justChanged = parametersOf(request).get('done') === 'role'
    show(context, response, 200, memberPage({ base, studio, member, session, justChanged }))
  })

  /** POST /studios/:studio/members/:member: changes the member's role. */
  const changeRole = ofMember(async ({ request, response, session, studio, member }) => {
    try {
      const role = field(request, 'role')
      await store.changeRole(session.digest, studio.id, member.id, role)
      // Members who may not manage others cannot see a member's page.
      const isOut = member.id === studio.yourId && role === 'member'
      response.redirect(303, isOut ? base : `${listPath(studio)}/${member.id}?done=role`)
    } catch (error) {
      const why = `${refusalOf(error, lastOwner)} The role was not changed.`
      show(context, response, 422, memberPage({ base, studio, member, session, error: why }))
    }
  })

  /** GET /studios/:studio/members/:member/remove: says what the removal does. */
  const askToRemove = ofMember(({ response, session, studio, member }) =>
    show(context, response, 200, removePage({ base, studio, member, session })),
  )

  /** POST /studios/:studio/members/:member/remove */
  const remove = ofMember(async ({ response, session, studio, member }) => {
    try {
      await store.dismissMember(session.digest, studio.id, member.id)
      response.redirect(303, member.id === studio.yourId ? base : `${listPath(studio)}?done=removed`)
    } catch (error) {
      const why = `${refusalOf(error, lastOwner)} The person is still a member.`
      show(context, response, 422, removePage({ base, studio, member, session, error: why }))
    }
  })

  return { list, add, one, changeRole, askToRemove, remove }
}

const lastOwner = 'A studio needs at least one owner. Make another member an owner first.'

/** The message when the database refuses. @param conflict what SI409 means here
 * @throws PageError 403 for owners' actions; the error itself when something else failed */
function refusalOf(error: unknown, conflict: string): string {
  switch (error instanceof StatementFailed ? error.sqlState : undefined) {
    case '22023':
    case '22021':
    case '23514':
      return 'Enter an e-mail such as mia@studio.example, a name of one line with at most 100 characters, and choose a role.'
    case 'SI409':
      return conflict
    case '42501':
      throw new PageError(
        403,
        'Not allowed',
        'Only owners and admins can manage members, and only owners can manage owners.',
      )
    default:
      throw error
  }
}
