import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { digestOf } from '../auth/token.ts'
import { addressKey } from '../http/address.ts'
import type { Context } from './context.ts'
import { isCookieValue } from './cookies.ts'
import { csrfField, field, isFrom } from './forms.ts'
import { type Locals, limitAttempts } from './guards.ts'
import { show } from './respond.ts'
import type { Person } from './store.ts'

/** Limits guesses of sessions. A few expired cookies are not guesses. */
const unknownSessionsPerMinute = 30

/** How many open sessions to remember, so that their requests do not count as guesses. */
const rememberedSessions = 10_000

/** Identifies the signed-in user. Redirects others to the sign-in page, which leads back. */
export function requireSession(context: Context): RequestHandler {
  const { base, cookies, csrf } = context
  const personOf = countingGuesses(context)
  return async (request, response: Response<unknown, Locals>, next) => {
    const secret = cookies.session.read(request)
    if (!isCookieValue(secret)) {
      // A link from another site sends no SameSite=Strict cookie; a link within this site does.
      if (request.method === 'GET' && request.headers['sec-fetch-site'] === 'cross-site') {
        return show(context, response, 200, {
          title: 'Opening',
          goOnTo: `${base}${request.url}`,
          content: 'One moment …',
        })
      }
      await saveRequest(context, request, response)
      return response.redirect(303, `${base}/sign-in`)
    }
    const digest = digestOf(secret)
    const person = await personOf(digest, request)
    if (person === null) {
      await saveRequest(context, request, response, secret)
      return response.redirect(303, `${base}/sign-in`)
    }
    response.locals.session = { digest, person, csrfToken: csrf.tokenFor(secret) }
    next()
  }
}

/** Returns a session's person; null: nobody. Counts an unknown session as a guess before it asks
 * the database, so that parallel guesses cannot pass the limit.
 * @throws PageError 429 */
function countingGuesses({ limiter, store }: Context) {
  const open = new LRUCache<string, true>({ max: rememberedSessions })
  return async (digest: Buffer, request: Request): Promise<Person | null> => {
    const key = digest.toString('base64url')
    if (open.has(key)) {
      const person = await store.person(digest)
      if (person === null) open.delete(key)
      return person
    }
    const address = addressKey(request.ip)
    const takeBack = await limitAttempts(limiter, 'session', address, unknownSessionsPerMinute)
    let guessed = false
    try {
      const person = await store.person(digest)
      guessed = person === null
      if (!guessed) open.set(key, true)
      return person
    } finally {
      // The database did not answer, so nobody learned anything and it was no guess.
      if (!guessed) takeBack()
    }
  }
}

/** Keeps the page of a person before the sign-in page. Keeps nothing from another site's form,
 * with which the browser sends no session cookie.
 * @param secret the cookie of an ended session, which is deleted */
export async function saveRequest(
  { cookies, csrf, origins, savedRequests }: Context,
  request: Request,
  response: Response,
  secret?: string,
): Promise<void> {
  if (secret !== undefined) cookies.session.clear(response)
  const reads = request.method === 'GET'
  const own = isFrom(origins, request)
  if (!reads && !own) return
  const verified = secret !== undefined && csrf.verify(secret, field(request, csrfField))
  // A person who sends our form without a cookie was signed in when the page opened.
  await savedRequests.keep(request, response, { ended: secret !== undefined || !reads, trusted: own && verified })
}
