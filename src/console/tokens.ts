import type { Request, RequestHandler, Response } from 'express'
import { digestOf, newSecret, tokenOf } from '../access/token.ts'
import { StatementFailed } from '../database/errors.ts'
import { type Context, idIn, type Locals, limitAttempts, notFound, studioOf, type Visit, visitOf } from './context.ts'
import { field } from './forms.ts'
import { auditLogPage } from './pages/audit-log.ts'
import { pathOf } from './pages/layout.ts'
import { createdPage, revokePage, tokenPage } from './pages/token.ts'
import { type Draft, tokensPage } from './pages/tokens.ts'
import { show } from './respond.ts'
import { revealSeconds } from './reveal.ts'
import type { HeldToken, Studio } from './store.ts'

type Answer = Response<unknown, Locals>

/** What can be said of what was just done, by the `done` parameter of the list's address. */
const notices: Readonly<Record<string, string>> = {
  revoked: 'The token is revoked: requests with it are refused from now on.',
  created: 'The token was created and shown. It cannot be shown again; revoke it and create another if it was lost.',
}

/** The handlers of a studio's tokens. What the person may see and do is decided by the database, at that moment. */
export function managingTokens(context: Context) {
  const { store, base, cookies, reveal, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/tokens`

  /** GET /studios/:studio/tokens */
  const list: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const done = new URL(request.originalUrl, 'http://here').searchParams.get('done') ?? ''
    await showList(response, visit, studioOf(request, visit), 200, { notice: notices[done] })
  }

  async function showList(
    response: Answer,
    { session, proof }: Visit,
    studio: Studio,
    status: number,
    more: { draft?: Draft; notice?: string | undefined } = {},
  ): Promise<void> {
    const [tokens, members] = await Promise.all([
      store.tokens(session, studio.id),
      studio.mayManage ? store.members(session, studio.id) : [],
    ])
    show(context, response, status, tokensPage({ base, studio, tokens, members, proof, ...more }))
  }

  /** POST /studios/:studio/tokens */
  const create: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    await limitAttempts(context.limiter, 'new-token', visit.person.id, config.console.tokensPerMinute)
    const [name, scope] = [field(request, 'name'), field(request, 'scope')]
    try {
      const token = await issue(visit.session, studio.id, name, scope === '' ? null : scope)
      cookies.reveal.write(response, await reveal.seal({ name, token }, visit.session), revealSeconds)
      response.redirect(303, `${listPath(studio)}/created`)
    } catch (error) {
      const refusal = refusalOf(error, scope !== '')
      if (refusal === null) throw error
      const fresh = { ...visit, person: await store.person(visit.session) }
      await showList(response, fresh, studioOf(request, fresh), 422, { draft: { name, scope, error: refusal } })
    }
  }

  /** The secret is made here and only digests of the token go to the database. */
  async function issue(session: Buffer, studioId: string, name: string, scopeUserId: string | null): Promise<string> {
    const secret = newSecret()
    const { tier } = await store.issueToken(session, studioId, {
      name,
      scopeUserId,
      secretPrefix: secret.slice(0, 4),
      proDigest: digestOf(tokenOf('pro', secret)),
      studioDigest: digestOf(tokenOf('studio', secret)),
    })
    return tokenOf(tier, secret)
  }

  /** GET /studios/:studio/tokens/created: shows the new token, and takes away the cookie that it came in. */
  const created: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const revealed = await reveal.open(cookies.reveal.read(request), visit.session)
    cookies.reveal.clear(response)
    if (revealed === null) return response.redirect(303, `${listPath(studio)}?done=created`)
    const curl = `curl -H 'Authorization: Bearer ${revealed.token}' '${config.publicUrl}/v1/items?per_page=2'`
    show(context, response, 200, createdPage(base, studio, { ...revealed, curl }))
  }

  /** GET /studios/:studio/tokens/:token */
  const one: RequestHandler = async (request, response: Answer) => {
    const { studio, token, visit } = await held(request, response)
    const requests = await store.activity(visit.session, studio.id, token.id)
    show(context, response, 200, tokenPage(base, studio, token, requests))
  }

  /** GET /studios/:studio/tokens/:token/revoke */
  const askToRevoke: RequestHandler = async (request, response: Answer) => {
    const { studio, token, visit } = await held(request, response)
    if (!studio.mayManage) throw notFound()
    if (token.revokedAt !== null) return response.redirect(303, `${listPath(studio)}/${token.id}`)
    show(context, response, 200, revokePage(base, studio, token, visit.proof))
  }

  /** POST /studios/:studio/tokens/:token/revoke. Serves: "Revoke again … succeeds and returns the existing revoked record". */
  const revoke: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    await store.revokeToken(visit.session, studio.id, idIn(request, 'token'))
    response.redirect(303, `${listPath(studio)}?done=revoked`)
  }

  /** GET /studios/:studio/audit-log */
  const auditLog: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const entries = await store.auditLog(visit.session, studio.id)
    show(context, response, 200, auditLogPage(studio, entries))
  }

  async function held(request: Request, response: Answer): Promise<{ studio: Studio; token: HeldToken; visit: Visit }> {
    const visit = visitOf(response)
    const studio = studioOf(request, visit)
    const id = idIn(request, 'token')
    const token = (await store.tokens(visit.session, studio.id)).find((candidate) => candidate.id === id)
    if (token === undefined) throw notFound()
    return { studio, token, visit }
  }

  return { list, create, created, one, askToRevoke, revoke, auditLog }
}

/** What a person reads when no token was created; null when something else failed. */
function refusalOf(error: unknown, scoped: boolean): string | null {
  if (!(error instanceof StatementFailed)) return null
  switch (error.sqlState) {
    case '22023':
    case '22021':
      return 'Give the token a name of 1 to 100 characters. No token was created.'
    case 'SI402':
      return 'The plan includes no API tokens any more. No token was created.'
    case 'SI404':
    case '22P02':
      return scoped ? 'The team member chosen is not a current member of the studio. No token was created.' : null
    default:
      return null
  }
}
