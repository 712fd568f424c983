import type { Request, RequestHandler, Response } from 'express'
import { StatementFailed } from '../../database/errors.ts'
import {
  type Context,
  idIn,
  type Locals,
  limitAttempts,
  managedStudioOf,
  notFound,
  PageError,
  type Visit,
  visitOf,
} from './context.ts'
import { field, parametersOf } from './forms.ts'
import { pathOf } from './pages/layout.ts'
import { type MemberDraft, memberPage, membersPage, removePage } from './pages/members.ts'
import { show } from './respond.ts'
import type { Member, Studio } from './store.ts'

type Answer = Response<unknown, Locals>

/** The handlers of a studio's members. What the person may see and do is decided by the database, at that moment. */
export function memberHandlers(context: Context) {
  const { store, base, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/members`

  async function showList(
    response: Answer,
    visit: Visit,
    studio: Studio,
    {
      status = 200,
      ...more
    }: { status?: number; draft?: MemberDraft; added?: string | null; justRemoved?: boolean } = {},
  ): Promise<void> {
    const members = await store.members(visit.session, studio.id)
    show(context, response, status, membersPage({ base, studio, members, visit, ...more }))
  }

  /** GET /studios/:studio/members */
  const list: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const parameters = parametersOf(request)
    const done = { added: parameters.get('added'), justRemoved: parameters.get('done') === 'removed' }
    await showList(response, visit, managedStudioOf(request, visit), done)
  }

  /** POST /studios/:studio/members */
  const add: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    await limitAttempts(context.limiter, 'new-member', visit.person.id, config.console.tokensPerMinute)
    const draft = {
      email: field(request, 'email').trim(),
      name: field(request, 'name').trim(),
      role: field(request, 'role'),
    }
    try {
      const id = await store.admitMember(visit.session, studio.id, draft)
      response.redirect(303, `${listPath(studio)}?added=${id}`)
    } catch (error) {
      const why = refusalOf(error, 'The person is a member already.')
      await showList(response, visit, studio, { status: 422, draft: { ...draft, error: `${why} Nobody was added.` } })
    }
  }

  /** GET /studios/:studio/members/:member */
  const one: RequestHandler = async (request, response: Answer) => {
    const { studio, member, visit } = await memberInPath(request, response)
    const justChanged = parametersOf(request).get('done') === 'role'
    show(context, response, 200, memberPage({ base, studio, member, visit, justChanged }))
  }

  /** POST /studios/:studio/members/:member: gives the member another role. */
  const changeRole: RequestHandler = async (request, response: Answer) => {
    const { studio, member, visit } = await memberInPath(request, response)
    try {
      const role = field(request, 'role')
      await store.changeRole(visit.session, studio.id, member.id, role)
      // A plain member may not see the page of a member.
      const isOut = member.id === studio.yourId && role === 'member'
      response.redirect(303, isOut ? base : `${listPath(studio)}/${member.id}?done=role`)
    } catch (error) {
      const why = `${refusalOf(error, lastOwner)} The role was not changed.`
      show(context, response, 422, memberPage({ base, studio, member, visit, error: why }))
    }
  }

  /** GET /studios/:studio/members/:member/remove: says what the removal does. */
  const askToRemove: RequestHandler = async (request, response: Answer) => {
    const { studio, member, visit } = await memberInPath(request, response)
    show(context, response, 200, removePage({ base, studio, member, visit }))
  }

  /** POST /studios/:studio/members/:member/remove */
  const remove: RequestHandler = async (request, response: Answer) => {
    const { studio, member, visit } = await memberInPath(request, response)
    try {
      await store.dismissMember(visit.session, studio.id, member.id)
      response.redirect(303, member.id === studio.yourId ? base : `${listPath(studio)}?done=removed`)
    } catch (error) {
      const why = `${refusalOf(error, lastOwner)} The person is still a member.`
      show(context, response, 422, removePage({ base, studio, member, visit, error: why }))
    }
  }

  async function memberInPath(
    request: Request,
    response: Answer,
  ): Promise<{ studio: Studio; member: Member; visit: Visit }> {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    const id = idIn(request, 'member')
    const member = (await store.members(visit.session, studio.id)).find((candidate) => candidate.id === id)
    if (member === undefined) throw notFound()
    return { studio, member, visit }
  }

  return { list, add, one, changeRole, askToRemove, remove }
}

const lastOwner = 'A studio keeps at least one owner: make somebody else an owner first.'

/**
 * What a person reads when the database refuses.
 *
 * @param conflict what SI409 means here
 * @throws PageError 403 for what only owners may do; the error itself when something else failed
 */
function refusalOf(error: unknown, conflict: string): string {
  switch (error instanceof StatementFailed ? error.sqlState : undefined) {
    case '22023':
    case '22021':
    case '23514':
      return 'Enter an e-mail such as mia@studio.example, a name of at most 100 characters, and choose a role.'
    case 'SI409':
      return conflict
    case '42501':
      throw new PageError(403, 'Not allowed', 'Only owners and admins manage members, and only owners manage owners.')
    default:
      throw error
  }
}
