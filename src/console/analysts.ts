import { digestOf } from '../auth/token.ts'
import type { Html } from '../web/html.ts'
import type { Context } from './context.ts'
import { revealSeconds } from './cookies.ts'
import { field, parametersOf } from './forms.ts'
import { notFound, PageError, requireManager, type StudioRequest } from './guards.ts'
import { type AnalystLogin, analystsPage, createdPage, endPage, newAnalystPage, validDays } from './pages/analysts.ts'
import { information, pathOf, success } from './pages/layout.ts'
import { show } from './respond.ts'

/** The owner who acts, and the studio in which they do. */
export type Owner = { studioId: string; userId: string }

/** Manages analysts' logins with the administrator's rights. It checks that the person is an
 * owner of the studio, and writes the audit log. */
export type Analysts = {
  list(studioId: string): Promise<AnalystLogin[]>
  /** @param wanted.member the id of the member it is for; null: the studio
   * @returns url: '' where PostgreSQL admits no analysts */
  create(
    owner: Owner,
    wanted: { member: string | null; days: number },
  ): Promise<{ login: string; url: string; identity: string }>
  end(owner: Owner, login: string): Promise<void>
}

/** The handlers of a studio's analysts, for its owners. */
export function analystHandlers(context: Context, analysts: Analysts | undefined) {
  const { base, cookies, reveal, store } = context

  const requireOwner = (handle: (at: StudioRequest, analysts: Analysts) => unknown) =>
    requireManager((at) => {
      if (analysts === undefined) throw notFound()
      if (at.studio.role !== 'owner') throw new PageError(403, 'Not allowed', 'Only owners of the studio can do that.')
      return handle(at, analysts)
    })
  const pathIn = ({ studio }: StudioRequest) => `${pathOf(base, studio)}/analysts`
  const ownerOf = ({ studio, session }: StudioRequest): Owner => ({ studioId: studio.id, userId: session.person.id })
  const placeOf = ({ session }: StudioRequest, login: string) => `${session.digest.toString('base64url')} ${login}`

  /** The login in the path, of this studio. @throws PageError 404 */
  async function loginIn({ request, studio }: StudioRequest, given: Analysts): Promise<AnalystLogin> {
    const login = (await given.list(studio.id)).find(({ login }) => login === request.params.login)
    if (login === undefined) throw notFound()
    return login
  }

  const showList = async (at: StudioRequest, given: Analysts, notice?: Html) =>
    show(
      context,
      at.response,
      200,
      analystsPage({ base, studio: at.studio, logins: await given.list(at.studio.id), notice }),
    )

  const list = requireOwner((at, given) => {
    const ended = parametersOf(at.request).get('done') === 'ended'
    return showList(
      at,
      given,
      ended ? success('The login has ended. Its open sessions can no longer read anything.') : undefined,
    )
  })

  const form = requireOwner(async (at) => {
    const { response, session, studio } = at
    const members = await store.members(session.digest, studio.id)
    show(context, response, 200, newAnalystPage({ base, studio, members, csrfToken: session.csrfToken }))
  })

  /** POST /studios/:studio/analysts */
  const create = requireOwner(async (at, given) => {
    const { request, response, session, studio } = at
    const member = field(request, 'member')
    const days = validDays.find((each) => String(each) === field(request, 'days')) ?? validDays[0]
    const known = await store.members(session.digest, studio.id)
    if (member !== '' && !known.some(({ id }) => id === member)) throw notFound()
    const made = await given.create(ownerOf(at), { member: member === '' ? null : member, days })
    const secrets = { name: made.login, token: made.url, identity: made.identity }
    const sealed = await reveal.seal(secrets, placeOf(at, made.login), revealSeconds)
    cookies.reveal(made.login).write(response, sealed, revealSeconds)
    response.redirect(303, `${pathIn(at)}/${made.login}/created`)
  })

  /** GET /studios/:studio/analysts/:login/created: shows the secrets once, deletes their cookie. */
  const created = requireOwner(async (at, given) => {
    const { request, response, studio } = at
    if (request.method === 'HEAD') return response.end()
    const { login } = await loginIn(at, given)
    const cookie = cookies.reveal(login)
    const sealed = cookie.read(request)
    const revealed = await reveal.open(sealed, placeOf(at, login))
    cookie.clear(response)
    const until = new Date(Date.now() + 2 * revealSeconds * 1000)
    if (sealed === undefined || revealed === null || !(await store.useOnce(digestOf(sealed), until))) {
      const lost = 'A connection string is shown once. If you have lost it, end the login and create another.'
      return showList(at, given, information(lost))
    }
    const { token: url, identity = '' } = revealed
    show(context, response, 200, createdPage({ base, studio, login, url, identity }))
  })

  const askToEnd = requireOwner(async (at, given) => {
    const { login } = await loginIn(at, given)
    show(context, at.response, 200, endPage({ base, studio: at.studio, login, csrfToken: at.session.csrfToken }))
  })

  /** POST /studios/:studio/analysts/:login/end */
  const end = requireOwner(async (at, given) => {
    const { login } = await loginIn(at, given)
    await given.end(ownerOf(at), login)
    at.response.redirect(303, `${pathIn(at)}?done=ended`)
  })

  return { list, form, create, created, askToEnd, end }
}
