import { hash } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import { addressKey } from '../../auth/address.ts'
import { IdentityRefused, type VerifyIdToken } from '../../auth/identity/id-token.ts'
import { digestOf } from '../../auth/token.ts'
import { StatementFailed } from '../../database/errors.ts'
import { type Context, forgedForm, type Locals, limitAttempts, PageError, visitOf } from './context.ts'
import { isCookieValue, newCookieValue } from './cookies.ts'
import { csrfField, field, isFrom } from './forms.ts'
import { demoSignInPage, signedInPage, signInPage } from './pages/sign-in.ts'
import { show } from './respond.ts'

/**
 * How long a browser keeps the cookie of a session that has ended, in seconds: a week. It opens nothing any more, and shows that
 * there was a session.
 */
const rememberedSeconds = 7 * 24 * 3600

/** The handlers of signing in and out. */
export function signInHandlers(context: Context) {
  const { config, cookies, csrf, method, resume, store, base } = context
  const limit = (address: string | undefined) =>
    limitAttempts(context.limiter, 'sign-in', addressKey(address), config.console.signInsPerMinute)

  /** GET /sign-in */
  const page: RequestHandler = async (request, response) => {
    const kept = await resume.read(request)
    if (method.kind === 'issuer') return show(context, response, 200, signInPage(method.signInUrl, kept))
    const known = cookies.visitor.read(request)
    const visitor = isCookieValue(known) ? known : newCookieValue()
    if (visitor !== known) cookies.visitor.write(response, visitor)
    const csrfToken = csrf.tokenFor(`visitor:${visitor}`)
    show(context, response, 200, demoSignInPage({ base, people: method.issuer.people, csrfToken, kept }))
  }

  /** POST /sign-in: the issuer's page posts `id_token`. */
  const withIdToken: RequestHandler = async (request, response) => {
    if (method.kind !== 'issuer') throw refused()
    if (!isFrom([...context.origins, ...method.origins], request)) throw forgedForm()
    await limit(request.ip)
    await open(context, method.verify, field(request, 'id_token'), cookies.session.read(request), response)
  }

  /** POST /sign-in/demo: one of the demo people was picked. */
  const asDemoPerson: RequestHandler = async (request, response) => {
    if (method.kind !== 'demo') throw refused()
    const visitor = cookies.visitor.read(request)
    const verified = isCookieValue(visitor) && csrf.verify(`visitor:${visitor}`, field(request, csrfField))
    if (!verified || !isFrom(context.origins, request)) throw forgedForm()
    await limit(request.ip)
    const idToken = await method.issuer.issue(field(request, 'email'))
    if (idToken === null) throw refused()
    await open(context, method.issuer.verify, idToken, cookies.session.read(request), response)
  }

  /** POST /sign-out: the session ends in the database, whoever still has the cookie. */
  const out: RequestHandler = async (_request, response: Response<unknown, Locals>) => {
    await store.signOut(visitOf(response).session)
    cookies.session.clear(response)
    resume.clear(response)
    response.redirect(303, `${base}/sign-in`)
  }

  return { page, withIdToken, asDemoPerson, out }
}

/**
 * A new session for whom the ID token names. Its secret is always made here, and where the browser sends the cookie of an older
 * session, that one ends.
 */
async function open(
  context: Context,
  verify: VerifyIdToken,
  idToken: string,
  older: string | undefined,
  response: Response,
): Promise<void> {
  const { store, cookies, config, base, log } = context
  const secret = newCookieValue()
  const seconds = config.console.sessionMinutes * 60
  try {
    const { email, expires } = await verify(idToken)
    await store.signIn({
      email,
      assertion: signedPart(idToken),
      assertionExpires: expires,
      session: digestOf(secret),
      expires: new Date(Date.now() + seconds * 1000),
    })
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === null) throw error
    log.warn({ reason }, 'a sign-in to the console was refused')
    throw refused()
  }
  if (isCookieValue(older)) await store.signOut(digestOf(older))
  cookies.session.write(response, secret, seconds + rememberedSeconds)
  show(context, response, 200, signedInPage(base))
}

/**
 * What shows that an ID token was used before. Of the bytes that were signed, not of the whole text: one signature can be
 * written in several ways.
 */
function signedPart(idToken: string): Buffer {
  return hash('sha256', idToken.slice(0, idToken.lastIndexOf('.')), 'buffer')
}

/** Why a sign-in is refused; null when something else failed. */
function reasonOf(error: unknown): string | null {
  if (error instanceof IdentityRefused) return error.message
  if (!(error instanceof StatementFailed)) return null
  if (error.sqlState === 'SI404') return 'nobody here has this e-mail'
  return error.sqlState === 'SI409' ? 'used before' : null
}

const refused = () => new PageError(401, 'Not signed in', 'You could not be signed in. Please sign in again.')
