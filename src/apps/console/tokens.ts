import type { Request, RequestHandler, Response } from 'express'
import { makeToken } from '../../auth/issue-token.ts'
import { digestOf } from '../../auth/token.ts'
import { readAddresses } from '../../auth/token-limits.ts'
import { readFilter } from './activity.ts'
import {
  type Context,
  idIn,
  type Locals,
  limitAttempts,
  managedStudioOf,
  notFound,
  studioOf,
  type Visit,
  visitOf,
} from './context.ts'
import { field, parametersOf } from './forms.ts'
import { auditLogPage } from './pages/audit-log.ts'
import { pathOf } from './pages/layout.ts'
import { createdPage, revokePage, tokenPage } from './pages/token.ts'
import type { Draft } from './pages/token-form.ts'
import { tokensPage } from './pages/tokens.ts'
import { show } from './respond.ts'
import { lostWords, studioIdOf } from './resume.ts'
import { revealSeconds } from './reveal.ts'
import type { ApiToken, NewToken, Studio } from './store.ts'
import { refusalOf, requireLastDay } from './token-refusals.ts'

type Answer = Response<unknown, Locals>

/** The handlers of a studio's tokens. What the person may see and do is decided by the database, at that moment. */
export function tokenHandlers(context: Context) {
  const { store, base, cookies, resume, reveal, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/tokens`

  /** GET /studios/:studio/tokens */
  const list: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const kept = await resume.read(request)
    const draft = kept && studioIdOf(kept) === studio.id ? kept.draft : undefined
    if (draft) resume.clear(response)
    if (!kept || !draft || !studio.mayManage || studio.plan === null) return showList(response, visit, studio, 200)
    const lost = lostWords(kept)
    const but = lost === '' ? '' : `, except ${lost}: too long to be kept, so please enter that again`
    const notice = `Your session had ended, so no token was created. What you typed is in the form again${but}.`
    await showList(response, visit, studio, 200, { draft, notice })
  }

  async function showList(
    response: Answer,
    { session, csrfToken }: Visit,
    studio: Studio,
    status: number,
    more: { draft?: Draft; notice?: string | undefined } = {},
  ): Promise<void> {
    const [tokens, members] = await Promise.all([
      store.tokens(session, studio.id),
      studio.mayManage ? store.members(session, studio.id) : [],
    ])
    const { plansUrl } = config.console
    show(context, response, status, tokensPage({ base, studio, tokens, members, csrfToken, plansUrl, ...more }))
  }

  /** POST /studios/:studio/tokens */
  const create: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    await limitAttempts(context.limiter, 'new-token', visit.person.id, config.console.tokensPerMinute)
    const [name, scope] = [field(request, 'name'), field(request, 'scope')]
    const [expires, addresses] = [field(request, 'expires').trim(), field(request, 'addresses')]
    try {
      const limits = { lastDay: expires === '' ? null : requireLastDay(expires), addresses: readAddresses(addresses) }
      const wanted = { name, scopeUserId: scope === '' ? null : scope, ...limits }
      const { id: tokenId, token } = await issue(visit.session, studio.id, wanted)
      const sealed = await reveal.seal({ name, token }, { session: visit.session, tokenId })
      cookies.reveal(tokenId).write(response, sealed, revealSeconds)
      response.redirect(303, `${listPath(studio)}/${tokenId}/created`)
    } catch (error) {
      const refusal = refusalOf(error, scope !== '')
      if (refusal === null) throw error
      const fresh = { ...visit, person: (await store.person(visit.session)) ?? visit.person }
      await showList(response, fresh, studioOf(request, fresh), 422, {
        draft: { name, scope, expires, addresses, error: refusal },
      })
    }
  }

  /** The secret is made here and only digests of the token go to the database. */
  async function issue(
    session: Buffer,
    studioId: string,
    wanted: Pick<NewToken, 'name' | 'scopeUserId' | 'lastDay' | 'addresses'>,
  ) {
    const { prefix, digests, textOf } = makeToken()
    const { id, tier } = await store.issueToken(session, studioId, {
      ...wanted,
      secretPrefix: prefix,
      proDigest: digests.pro,
      studioDigest: digests.studio,
    })
    return { id, token: textOf(tier) }
  }

  /** GET /studios/:studio/tokens/:token/created: shows the new token, once, and takes away the cookie that it came in. */
  const created: RequestHandler = async (request, response: Answer) => {
    const { studio, token, visit } = await tokenInPath(request, response)
    // Asking for the headers alone shows nothing, and so uses nothing up.
    if (request.method === 'HEAD') return response.end()
    const cookie = cookies.reveal(token.id)
    const sealed = cookie.read(request)
    const revealed = await reveal.open(sealed, { session: visit.session, tokenId: token.id })
    cookie.clear(response)
    const until = new Date(Date.now() + 2 * revealSeconds * 1000)
    if (sealed === undefined || revealed === null || !(await store.useOnce(digestOf(sealed), until))) {
      const notice =
        'A new token is shown once and cannot be shown again. If it was lost, revoke it and create another.'
      return showList(response, visit, studio, 200, { notice })
    }
    const curl = `curl -H 'Authorization: Bearer ${revealed.token}' '${config.publicUrl}/v1/items?per_page=1'`
    const firstCallUrl = `${config.docsUrl}#first-call`
    show(context, response, 200, createdPage({ base, studio, ...revealed, curl, firstCallUrl }))
  }

  /** GET /studios/:studio/tokens/:token?status=…&operation=… */
  const one: RequestHandler = async (request, response: Answer) => {
    const { studio, token, visit } = await tokenInPath(request, response)
    const requests = await store.activity(visit.session, studio.id, token.id)
    const parameters = parametersOf(request)
    const { filter, errors } = readFilter(parameters)
    const activity = { requests, filter, errors }
    const justRevoked = parameters.get('done') === 'revoked'
    const page = tokenPage({ base, studio, token, csrfToken: visit.csrfToken, justRevoked, activity })
    show(context, response, errors.length === 0 ? 200 : 400, page)
  }

  /** GET /studios/:studio/tokens/:token/revoke */
  const askToRevoke: RequestHandler = async (request, response: Answer) => {
    const { studio, token, visit } = await tokenInPath(request, response)
    if (!studio.mayManage) throw notFound()
    if (token.revokedAt !== null) return response.redirect(303, `${listPath(studio)}/${token.id}`)
    show(context, response, 200, revokePage(base, studio, token, visit.csrfToken))
  }

  /** POST /studios/:studio/tokens/:token/revoke. Serves: "Revoke again … succeeds and returns the existing revoked record". */
  const revoke: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const id = idIn(request, 'token')
    await store.revokeToken(visit.session, studio.id, id)
    response.redirect(303, `${listPath(studio)}/${id}?done=revoked`)
  }

  /** GET /studios/:studio/audit-log */
  const auditLog: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    const before = parametersOf(request).get('before')
    if (before !== null && !/^\d{1,18}$/.test(before)) throw notFound()
    const entries = await store.auditLog(visit.session, studio.id, before)
    show(context, response, 200, auditLogPage(base, studio, entries))
  }

  async function tokenInPath(
    request: Request,
    response: Answer,
  ): Promise<{ studio: Studio; token: ApiToken; visit: Visit }> {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const id = idIn(request, 'token')
    const token = (await store.tokens(visit.session, studio.id)).find((candidate) => candidate.id === id)
    if (token === undefined) throw notFound()
    return { studio, token, visit }
  }

  return { list, create, created, one, askToRevoke, revoke, auditLog }
}
