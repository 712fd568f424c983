import type { Request, RequestHandler, Response } from 'express'
import { makeToken } from '../../auth/issue-token.ts'
import { digestOf } from '../../auth/token.ts'
import { BadAddress, readAddresses } from '../../auth/token-limits.ts'
import { StatementFailed } from '../../database/errors.ts'
import { isDay } from '../../domain/dates.ts'
import { readFilter } from './activity.ts'
import { type Context, idIn, type Locals, limitAttempts, notFound, studioOf, type Visit, visitOf } from './context.ts'
import { revealSeconds } from './cookies.ts'
import { field, parametersOf } from './forms.ts'
import { pathOf } from './pages/layout.ts'
import { createdPage, revokePage, tokenPage } from './pages/token.ts'
import { type Draft, tokensPage } from './pages/tokens.ts'
import { show } from './respond.ts'
import { lostWords, studioIdOf } from './resume.ts'
import type { ApiToken, NewToken, Studio } from './store.ts'

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

  return { list, create, created, one, askToRevoke, revoke }
}

class BadLastDay extends Error {}

const badLastDay = 'Enter a last day that has not passed, as YYYY-MM-DD.'

/** The last day of a token as it was typed. @throws BadLastDay for what is no day */
function requireLastDay(text: string): string {
  if (!isDay(text)) throw new BadLastDay()
  return text
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** What a person reads when no token was created; null when something else failed. */
function refusalOf(error: unknown, scoped: boolean): string | null {
  if (error instanceof BadLastDay) return `${badLastDay} No token was created.`
  if (error instanceof BadAddress) return `${sentence(error.message)} No token was created.`
  if (!(error instanceof StatementFailed)) return null
  switch (error.sqlState) {
    case '22023':
    case '22021':
      return 'Enter a name of 1 to 100 characters. No token was created.'
    case '22008':
      return `${badLastDay} No token was created.`
    case 'SI402':
      return 'The plan no longer includes API tokens. No token was created.'
    case 'SI404':
    case '22P02':
      return scoped ? 'The team member chosen is not a current member of the studio. No token was created.' : null
    default:
      return null
  }
}
