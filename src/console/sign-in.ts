import type { RequestHandler } from 'express'
import { addressKey } from '../http/address.ts'
import type { Context } from './context.ts'
import { isCookieValue, newCookieValue } from './cookies.ts'
import { csrfField, field, isFrom } from './forms.ts'
import { forgedForm, limitAttempts } from './guards.ts'
import { countOutcome, openSession, refused } from './open-session.ts'
import { demoSignInPage, signedInPage, signInPage } from './pages/sign-in.ts'
import { show } from './respond.ts'

/** The handlers of the sign-in page, and of the demo's sign-in. */
export function signInHandlers(context: Context) {
  const { config, cookies, csrf, method, savedRequests, base } = context

  /** GET /sign-in */
  const page: RequestHandler = async (request, response) => {
    const kept = await savedRequests.read(request)
    if (method.kind === 'providers') {
      const choices = await Promise.all(
        method.providers.map(async ({ number, name, isAway }) => ({ number, name, away: await isAway() })),
      )
      return show(context, response, 200, signInPage(base, choices, kept))
    }
    const known = cookies.visitor.read(request)
    const visitor = isCookieValue(known) ? known : newCookieValue()
    if (visitor !== known) cookies.visitor.write(response, visitor)
    const csrfToken = csrf.tokenFor(`visitor:${visitor}`)
    show(context, response, 200, demoSignInPage({ base, people: method.people, csrfToken, kept }))
  }

  /** POST /sign-in/demo: signs in as a person of the demo. */
  const asDemoPerson: RequestHandler = async (request, response) => {
    if (method.kind !== 'demo') throw refused()
    const visitor = cookies.visitor.read(request)
    const verified = isCookieValue(visitor) && csrf.verify(`visitor:${visitor}`, field(request, csrfField))
    if (!verified || !isFrom(context.origins, request)) throw forgedForm()
    await limitAttempts(context.limiter, 'sign-in', addressKey(request.ip), config.console.signInsPerMinute)
    const email = field(request, 'email')
    if (!method.people.some((person) => person.email === email)) throw refused()
    await countOutcome(context, 'the demo', async () => {
      // The demo has no ID token: a random value stands for it.
      const vouched = { email, idToken: `${newCookieValue()}.`, expires: new Date(Date.now() + 60_000) }
      await openSession(context, vouched, cookies.session.read(request), response)
    })
    show(context, response, 200, signedInPage(base))
  }

  return { page, asDemoPerson }
}
