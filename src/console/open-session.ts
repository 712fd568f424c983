import { hash } from 'node:crypto'
import type { Response } from 'express'
import { digestOf } from '../auth/token.ts'
import { StatementFailed } from '../database/errors.ts'
import { EmailNotVerified, IdentityRefused, IssuerUnavailable } from '../id-tokens/id-token.ts'
import type { Context } from './context.ts'
import { isCookieValue, newCookieValue } from './cookies.ts'
import { PageError } from './guards.ts'
import type { SignedIn } from './identity/provider.ts'
import { ClientRefused, SignInDeclined } from './identity/provider-errors.ts'

/** How long a browser keeps an ended session's cookie, which opens nothing, in seconds. */
export const rememberedSeconds = 7 * 24 * 3600

/** Opens a session and returns its digest. @param older the browser's earlier session, which
 * ends
 * @throws StatementFailed SI404 for an unknown person, SI409 for a used ID token */
export async function openSession(
  context: Context,
  { email, idToken, expires }: SignedIn,
  older: string | Buffer | undefined,
  response: Response,
): Promise<Buffer> {
  const { store, cookies, config } = context
  const secret = newCookieValue()
  const session = digestOf(secret)
  const seconds = config.console.sessionMinutes * 60
  await store.signIn({
    email,
    assertion: signedPart(idToken),
    assertionExpires: expires,
    session,
    expires: new Date(Date.now() + seconds * 1000),
  })
  if (Buffer.isBuffer(older)) await store.signOut(older)
  else if (isCookieValue(older)) await store.signOut(digestOf(older))
  cookies.session.write(response, secret, seconds + rememberedSeconds)
  return session
}

/** What identifies an ID token: the signed bytes, as a signature has several spellings. */
function signedPart(idToken: string): Buffer {
  return hash('sha256', idToken.slice(0, idToken.lastIndexOf('.')), 'buffer')
}

/** Counts the outcome of a sign-in. Logs a refusal's reason and answers with a page. */
export async function countOutcome(context: Context, name: string, signIn: () => Promise<void>): Promise<void> {
  const { signIns, log } = context
  try {
    await signIn()
    signIns.signed_in += 1
  } catch (error) {
    if (error instanceof IssuerUnavailable) signIns.unavailable += 1
    const reason = reasonOf(error)
    if (reason === null) throw error
    signIns.refused += 1
    const line = { provider: name, reason }
    if (error instanceof ClientRefused) log.error(line, 'an identity provider refuses this service as its client')
    else log.warn(line, 'a sign-in to the console was refused')
    throw pageFor(error, name)
  }
}

/** Why a sign-in is refused; null when something else failed. */
function reasonOf(error: unknown): string | null {
  if (error instanceof IdentityRefused) return error.message
  if (!(error instanceof StatementFailed)) return null
  if (error.sqlState === 'SI404') return 'no user has this e-mail'
  return error.sqlState === 'SI409' ? 'used before' : null
}

/** The page for a person who could not sign in. It names only what they can act on. */
function pageFor(error: unknown, name: string): PageError {
  if (error instanceof SignInDeclined) {
    const why = error.message === 'access_denied' ? 'The sign-in was cancelled, or' : 'The sign-in was not finished, or'
    return new PageError(403, 'Not signed in', `${why} ${name} does not let you use this service.`)
  }
  if (error instanceof ClientRefused) {
    const why = `${name} does not accept this service at the moment. The operator of this service can find the reason in the log.`
    return new PageError(503, 'Not signed in', why)
  }
  if (error instanceof EmailNotVerified) {
    const why = `${name} does not say that your e-mail address is verified. Verify it there, then sign in again.`
    return new PageError(403, 'Your e-mail is not verified', why)
  }
  if (error instanceof StatementFailed && error.sqlState === 'SI404') {
    const why = `You are signed in to ${name}, but no member here has the e-mail address of that account. Ask an owner of your studio to add it, or sign out of ${name} and use another account.`
    return new PageError(403, 'You have no access here yet', why)
  }
  return refused()
}

export const refused = () => new PageError(401, 'Not signed in', 'You could not be signed in. Please sign in again.')
