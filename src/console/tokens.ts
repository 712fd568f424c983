import { digestOf } from '../auth/token.ts'
import { StatementFailed } from '../database/errors.ts'
import { isDay } from '../domain/dates.ts'
import { isUuid } from '../domain/text.ts'
import { clientAddress } from '../http/address.ts'
import { makeToken } from '../tokens/issue-token.ts'
import { BadAddress, containsAddress, readAddresses } from '../tokens/token-limits.ts'
import { baseOf } from '../web/links.ts'
import type { Context } from './context.ts'
import { revealSeconds } from './cookies.ts'
import { parametersOf } from './forms.ts'
import {
  idIn,
  limitAttempts,
  notFound,
  requireManager,
  requirePublicApi,
  type Session,
  type StudioRequest,
} from './guards.ts'
import { pathOf } from './pages/layout.ts'
import {
  createdPage,
  type Draft,
  durations,
  lastDayAfter,
  newTokenPage,
  type Refusals,
  revokePage,
  tokenPage,
} from './pages/token.ts'
import { tokensPage } from './pages/tokens.ts'
import { show } from './respond.ts'
import { draftIn, studioIdOf } from './saved-request.ts'
import type { Studio } from './store.ts'
import type { ApiToken } from './store-tokens.ts'

/** The handlers of a studio's tokens. PostgreSQL decides what a person may see and do. */
export function tokenHandlers(context: Context) {
  const { store, base, cookies, savedRequests, reveal, config } = context
  const listPath = (studio: Studio) => `${pathOf(base, studio)}/tokens`

  /** GET /studios/:studio/tokens?request=… */
  const list = requirePublicApi(async (at) => {
    const { request, response, session, studio } = at
    const wanted = parametersOf(request).get('request')?.trim().toLowerCase()
    if (wanted) {
      const [found] = isUuid(wanted) ? await store.activity(session.digest, studio.id, null, wanted) : []
      if (found) return response.redirect(303, `${listPath(studio)}/${found.tokenId}?request=${wanted}#activity`)
      return showList(at, 200, 'No request with this id is among the last 100 of any token.')
    }
    const kept = await savedRequests.read(request)
    const draft = kept && studioIdOf(kept) === studio.id ? kept.draft : undefined
    if (draft) savedRequests.clear(response)
    if (!draft || !studio.mayManage || studio.plan === null) return showList(at, 200)
    const notice = 'Your session had ended, so no token was created. What you typed is in the form again.'
    await showForm(at, 200, { draft, notice })
  })

  async function showList({ response, session, studio }: StudioRequest, status: number, notice?: string) {
    const { digest, csrfToken } = session
    const tokens = await store.tokens(digest, studio.id)
    const { plansUrl } = config.console
    show(context, response, status, tokensPage({ base, studio, tokens, csrfToken, plansUrl, notice }))
  }

  /** Shows the form of a new token. Without a plan it shows the list, which says what is missing. */
  async function showForm(
    at: StudioRequest,
    status: number,
    more: { draft?: Draft; errors?: Refusals; notice?: string } = {},
  ) {
    const { response, session, studio } = at
    if (studio.plan === null) return showList(at, status)
    const members = await store.members(session.digest, studio.id)
    show(context, response, status, newTokenPage({ base, studio, members, csrfToken: session.csrfToken, ...more }))
  }

  /** GET /studios/:studio/tokens/new */
  const form = requireManager((at) => {
    if (!at.studio.publicApi) throw notFound()
    return showForm(at, 200)
  })

  /** POST /studios/:studio/tokens. Makes the secret here; the database gets only digests. */
  const create = requirePublicApi(async (at) => {
    const { request, response, session, studio } = at
    await limitAttempts(context.limiter, 'new-token', session.person.id, config.console.tokensPerMinute)
    const draft = draftIn(request)
    const { name = '', scope = '' } = draft
    try {
      const limits = limitsIn(draft, studio)
      const { prefix, digests, textOf } = makeToken()
      const { id: tokenId, tier } = await store.issueToken(session.digest, studio.id, {
        name,
        scopeUserId: scope === '' ? null : scope,
        ...limits,
        secretPrefix: prefix,
        proDigest: digests.pro,
        studioDigest: digests.studio,
      })
      const sealed = await reveal.seal({ name, token: textOf(tier) }, placeOf(session, tokenId), revealSeconds)
      cookies.reveal(tokenId).write(response, sealed, revealSeconds)
      response.redirect(303, `${listPath(studio)}/${tokenId}/created`)
    } catch (error) {
      const errors = refusalsOf(error, scope !== '')
      if (errors === null) throw error
      // The role and plan may have changed since the form was shown, so it reads them again.
      const person = await store.person(session.digest)
      const fresh = person?.studios.find(({ id }) => id === studio.id)
      if (fresh === undefined) throw notFound()
      await showForm({ ...at, studio: fresh }, 422, { draft, errors })
    }
  })

  /** A handler for a page of the token in the path. */
  const ofToken = (handle: (at: StudioRequest & { token: ApiToken }) => unknown) =>
    requirePublicApi(async (at) => {
      const id = idIn(at.request, 'token')
      const token = (await store.tokens(at.session.digest, at.studio.id)).find((candidate) => candidate.id === id)
      if (token === undefined) throw notFound()
      await handle({ ...at, token })
    })

  /** GET /studios/:studio/tokens/:token/created: shows the token once, deletes its cookie. */
  const created = ofToken(async ({ token, ...at }) => {
    const { request, response, session, studio } = at
    // HEAD shows nothing, so it does not use up the one view.
    if (request.method === 'HEAD') return response.end()
    const cookie = cookies.reveal(token.id)
    const sealed = cookie.read(request)
    const revealed = await reveal.open(sealed, placeOf(session, token.id))
    cookie.clear(response)
    const until = new Date(Date.now() + 2 * revealSeconds * 1000)
    if (sealed === undefined || revealed === null || !(await store.useOnce(digestOf(sealed), until))) {
      const notice = 'A new token is shown only once. If you have lost it, revoke it and create another.'
      return showList(at, 200, notice)
    }
    const curl = `curl -H 'Authorization: Bearer ${revealed.token}' '${config.publicUrl}/v1/items?per_page=1'`
    const links = {
      firstCallUrl: `${config.docsUrl}#first-call`,
      // The script hands the token on in the tab's storage, which belongs to the origin in the
      // address bar. So this link names no origin.
      tryUrl: `${baseOf(config.publicUrl)}/docs#list_items-samples`,
    }
    const address = clientAddress(request.ip)
    const isRefused = token.addresses !== null && address !== null && !containsAddress(token.addresses, address)
    const refusedAddress = isRefused ? address : undefined
    show(context, response, 200, createdPage({ base, studio, ...revealed, curl, ...links, refusedAddress }))
  })

  /** GET /studios/:studio/tokens/:token?status=… */
  const one = ofToken(async ({ request, response, session, studio, token }) => {
    const requests = await store.activity(session.digest, studio.id, token.id)
    const parameters = parametersOf(request)
    const justRevoked = parameters.get('done') === 'revoked'
    const activity = { requests, status: parameters.get('status'), request: parameters.get('request') }
    show(
      context,
      response,
      200,
      tokenPage({ base, studio, token, csrfToken: session.csrfToken, justRevoked, activity }),
    )
  })

  /** GET /studios/:studio/tokens/:token/revoke */
  const askToRevoke = ofToken(({ response, session, studio, token }) => {
    if (!studio.mayManage) throw notFound()
    if (token.revokedAt !== null) return response.redirect(303, `${listPath(studio)}/${token.id}`)
    show(context, response, 200, revokePage(base, studio, token, session.csrfToken))
  })

  /** POST /studios/:studio/tokens/:token/revoke.
   * Serves: "Revoke again … succeeds and returns the existing revoked record". */
  const revoke = requirePublicApi(async ({ request, response, session, studio }) => {
    const id = idIn(request, 'token')
    await store.revokeToken(session.digest, studio.id, id)
    response.redirect(303, `${listPath(studio)}/${id}?done=revoked`)
  })

  return { list, form, create, created, one, askToRevoke, revoke }
}

/** Only this session can open the cookie of a new token, and only for the page of this token. */
const placeOf = ({ digest }: Session, tokenId: string) => `${digest.toString('base64url')} ${tokenId}`

/** The form had mistakes that need no question to the database. */
class Refused extends Error {
  readonly errors: Refusals
  constructor(errors: Refusals) {
    super('fields were refused')
    this.errors = errors
  }
}

const badName = 'Enter a name of 1 to 100 characters, on one line and without marks of direction.'
const badDay = 'Enter a last day that has not passed, as YYYY-MM-DD.'

/** The last day and the addresses of a draft. @throws Refused, with every field that is wrong */
function limitsIn({ name = '', expires = '', last_day = '', addresses = '' }: Draft, { timezone }: Studio) {
  const errors: Refusals = {}
  if (name.trim() === '') errors.name = badName
  const limits: { lastDay: string | null; addresses: string[] | null } = { lastDay: null, addresses: null }
  if (Object.hasOwn(durations, expires)) limits.lastDay = lastDayAfter(Number(expires), timezone)
  else if (expires === 'date') {
    limits.lastDay = last_day.trim()
    if (!isDay(limits.lastDay)) errors.last_day = badDay
  }
  try {
    limits.addresses = readAddresses(addresses)
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error
    errors.addresses = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
  }
  if (Object.keys(errors).length > 0) throw new Refused(errors)
  return limits
}

/** Which fields were refused, and why; null when something else failed. */
function refusalsOf(error: unknown, scoped: boolean): Refusals | null {
  if (error instanceof Refused) return error.errors
  const state = error instanceof StatementFailed ? error.sqlState : undefined
  if (state === '22008') return { last_day: badDay }
  if (state === '22023' || state === '22021') return { name: badName }
  // The page itself says what the plan lacks.
  if (state === 'SI402') return {}
  if (scoped && (state === 'SI404' || state === '22P02')) {
    return { scope: 'The team member chosen is not a current member of the studio.' }
  }
  return null
}
