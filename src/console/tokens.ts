import { makeToken } from '../auth/issue-token.ts'
import { digestOf } from '../auth/token.ts'
import { BadAddress, readAddresses } from '../auth/token-limits.ts'
import { StatementFailed } from '../database/errors.ts'
import { isDay } from '../domain/dates.ts'
import { type At, type Context, idIn, limitAttempts, notFound, reading, type Visit } from './context.ts'
import { revealSeconds } from './cookies.ts'
import { parametersOf } from './forms.ts'
import { pathOf } from './pages/layout.ts'
import { createdPage, revokePage, tokenPage } from './pages/token.ts'
import { type Draft, tokensPage } from './pages/tokens.ts'
import { show } from './respond.ts'
import { draftIn, studioIdOf } from './resume.ts'
import type { ApiToken, Studio } from './store.ts'

/** The handlers of a studio's tokens. The database decides what a person may see and do. */
export function tokenHandlers(context: Context) {
  const { store, base, cookies, resume, reveal, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/tokens`

  const list = reading(async (at) => {
    const { request, response, studio } = at
    const kept = await resume.read(request)
    const draft = kept && studioIdOf(kept) === studio.id ? kept.draft : undefined
    if (draft) resume.clear(response)
    if (!draft || !studio.mayManage || studio.plan === null) return showList(at, 200)
    const notice = 'Your session had ended, so no token was created. What you typed is in the form again.'
    await showList(at, 200, { draft, notice })
  })

  async function showList(
    { response, visit, studio }: At,
    status: number,
    more: { draft?: Draft; notice?: string } = {},
  ) {
    const { session, csrfToken } = visit
    const [tokens, members] = await Promise.all([
      store.tokens(session, studio.id),
      studio.mayManage ? store.members(session, studio.id) : [],
    ])
    const { plansUrl } = config.console
    show(context, response, status, tokensPage({ base, studio, tokens, members, csrfToken, plansUrl, ...more }))
  }

  /** POST /studios/:studio/tokens. Makes the secret here; the database gets only digests. */
  const create = reading(async (at) => {
    const { request, response, visit, studio } = at
    await limitAttempts(context.limiter, 'new-token', visit.person.id, config.console.tokensPerMinute)
    const draft = draftIn(request)
    const { name, scope, expires, addresses } = draft
    try {
      const lastDay = expires.trim() === '' ? null : expires.trim()
      if (lastDay !== null && !isDay(lastDay)) throw new BadLastDay()
      const { prefix, digests, textOf } = makeToken()
      const { id: tokenId, tier } = await store.issueToken(visit.session, studio.id, {
        name,
        scopeUserId: scope === '' ? null : scope,
        lastDay,
        addresses: readAddresses(addresses),
        secretPrefix: prefix,
        proDigest: digests.pro,
        studioDigest: digests.studio,
      })
      const sealed = await reveal.seal({ name, token: textOf(tier) }, placeOf(visit, tokenId), revealSeconds)
      cookies.reveal(tokenId).write(response, sealed, revealSeconds)
      response.redirect(303, `${listPath(studio)}/${tokenId}/created`)
    } catch (error) {
      const why = refusalOf(error, scope !== '')
      if (why === null) throw error
      // Reads the current role and plan.
      const person = await store.person(visit.session)
      const fresh = person?.studios.find(({ id }) => id === studio.id)
      if (fresh === undefined) throw notFound()
      await showList({ ...at, studio: fresh }, 422, { draft: { ...draft, error: `${why} No token was created.` } })
    }
  })

  /** A handler for a page of the token in the path. */
  const ofToken = (handle: (at: At & { token: ApiToken }) => unknown) =>
    reading(async (at) => {
      const id = idIn(at.request, 'token')
      const token = (await store.tokens(at.visit.session, at.studio.id)).find((candidate) => candidate.id === id)
      if (token === undefined) throw notFound()
      await handle({ ...at, token })
    })

  /** GET /studios/:studio/tokens/:token/created: shows the token once, deletes its cookie. */
  const created = ofToken(async ({ token, ...at }) => {
    const { request, response, visit, studio } = at
    // HEAD shows nothing, so it does not use up the one view.
    if (request.method === 'HEAD') return response.end()
    const cookie = cookies.reveal(token.id)
    const sealed = cookie.read(request)
    const revealed = await reveal.open(sealed, placeOf(visit, token.id))
    cookie.clear(response)
    const until = new Date(Date.now() + 2 * revealSeconds * 1000)
    if (sealed === undefined || revealed === null || !(await store.useOnce(digestOf(sealed), until))) {
      const notice =
        'A new token is shown once and cannot be shown again. If it was lost, revoke it and create another.'
      return showList(at, 200, { notice })
    }
    const curl = `curl -H 'Authorization: Bearer ${revealed.token}' '${config.publicUrl}/v1/items?per_page=1'`
    const firstCallUrl = `${config.docsUrl}#first-call`
    show(context, response, 200, createdPage({ base, studio, ...revealed, curl, firstCallUrl }))
  })

  /** GET /studios/:studio/tokens/:token?status=… */
  const one = ofToken(async ({ request, response, visit, studio, token }) => {
    const requests = await store.activity(visit.session, studio.id, token.id)
    const parameters = parametersOf(request)
    const justRevoked = parameters.get('done') === 'revoked'
    const activity = { requests, status: parameters.get('status') }
    show(context, response, 200, tokenPage({ base, studio, token, csrfToken: visit.csrfToken, justRevoked, activity }))
  })

  /** GET /studios/:studio/tokens/:token/revoke */
  const askToRevoke = ofToken(({ response, visit, studio, token }) => {
    if (!studio.mayManage) throw notFound()
    if (token.revokedAt !== null) return response.redirect(303, `${listPath(studio)}/${token.id}`)
    show(context, response, 200, revokePage(base, studio, token, visit.csrfToken))
  })

  /** POST /studios/:studio/tokens/:token/revoke.
   * Serves: "Revoke again … succeeds and returns the existing revoked record". */
  const revoke = reading(async ({ request, response, visit, studio }) => {
    const id = idIn(request, 'token')
    await store.revokeToken(visit.session, studio.id, id)
    response.redirect(303, `${listPath(studio)}/${id}?done=revoked`)
  })

  return { list, create, created, one, askToRevoke, revoke }
}

/** The audience of a new token: a session, on the token's page. */
const placeOf = ({ session }: Visit, tokenId: string) => `${session.toString('base64url')} ${tokenId}`

class BadLastDay extends Error {}

/** The message when no token was created; null when something else failed. */
function refusalOf(error: unknown, scoped: boolean): string | null {
  if (error instanceof BadAddress) return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
  const state = error instanceof StatementFailed ? error.sqlState : undefined
  if (error instanceof BadLastDay || state === '22008') {
    return 'Enter a last day that has not passed, as YYYY-MM-DD.'
  }
  if (state === '22023' || state === '22021')
    return 'Enter a name of 1 to 100 characters, on one line and without marks of direction.'
  if (state === 'SI402') return 'The plan no longer includes API tokens.'
  if (scoped && (state === 'SI404' || state === '22P02')) {
    return 'The team member chosen is not a current member of the studio.'
  }
  return null
}
