import type { Request, RequestHandler, Response } from 'express'
import { addressKey } from '../../auth/address.ts'
import { digestOf } from '../../auth/token.ts'
import { type Context, type Locals, limitAttempts } from './context.ts'
import { isCookieValue } from './cookies.ts'
import { csrfField, field, isFrom } from './forms.ts'
import { show } from './respond.ts'

/** Limits guessing of sessions; a few expired cookies are not a guess. */
const unknownSessionsPerMinute = 30

/** Identifies the signed-in user; redirects everybody else to the sign-in page, which leads back. */
export function requireVisit(context: Context): RequestHandler {
  const { base, cookies, csrf, store } = context
  return async (request, response: Response<unknown, Locals>, next) => {
    const secret = cookies.session.read(request)
    if (!isCookieValue(secret)) {
      // Following a link from another site sends no SameSite=Strict cookie; one more navigation within this site does.
      if (request.method === 'GET' && request.headers['sec-fetch-site'] === 'cross-site') {
        return show(context, response, 200, { title: 'Opening', goOnTo: request.originalUrl, content: 'One moment …' })
      }
      await interrupt(context, request, response)
      return response.redirect(303, `${base}/sign-in`)
    }
    const session = digestOf(secret)
    const person = await store.person(session)
    if (person === null) {
      await interrupt(context, request, response, secret)
      await limitAttempts(context.limiter, 'session', addressKey(request.ip), unknownSessionsPerMinute)
      return response.redirect(303, `${base}/sign-in`)
    }
    response.locals.visit = { session, person, csrfToken: csrf.tokenFor(secret) }
    next()
  }
}

/**
 * Keeps where somebody was who is about to be asked to sign in, and takes away the cookie of a session that ended. A form that
 * another site sent keeps nothing: its browser sends no cookie of a session, which may well be alive.
 *
 * @param secret the cookie of the session that ended; undefined: there was none
 */
export async function interrupt(
  { cookies, csrf, origins, resume }: Context,
  request: Request,
  response: Response,
  secret?: string,
): Promise<void> {
  if (secret !== undefined) cookies.session.clear(response)
  const reads = request.method === 'GET'
  const own = isFrom(origins, request)
  if (!reads && !own) return
  const verified = secret !== undefined && csrf.verify(secret, field(request, csrfField))
  // Whoever sends a form of ours without a cookie was signed in when its page was opened.
  await resume.keep(request, response, { ended: secret !== undefined || !reads, trusted: own && verified })
}
