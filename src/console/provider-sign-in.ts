import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { SecretKeys } from '../domain/keys.ts'
import { addressKey } from '../http/address.ts'
import { IdentityRefused } from '../id-tokens/id-token.ts'
import type { Context } from './context.ts'
import { createSeal, flowSeconds } from './cookies.ts'
import { parametersOf } from './forms.ts'
import { type Locals, limitAttempts, notFound, PageError, sessionOf } from './guards.ts'
import type { Provider } from './identity/provider.ts'
import { countOutcome, openSession, rememberedSeconds } from './open-session.ts'
import { signedInPage, signedOutPage } from './pages/sign-in.ts'
import { show } from './respond.ts'

const providerSchema = z.object({ provider: z.number(), idToken: z.string().optional() })

/** A longer ID token does not fit into a cookie. Without it, the provider asks before it signs
 * somebody out. */
const longestIdToken = 2_600

/** Signs in and out at providers, by the authorization code flow and RP-initiated logout. */
export function providerHandlers(context: Context, secretKeys: SecretKeys) {
  const { config, cookies, flow, method, savedRequests, store, base } = context
  const providers = method.kind === 'providers' ? method.providers : []
  const sessionSeal = createSeal(secretKeys, 'console:sign-out', providerSchema)

  /** The provider in the path. The first has no number there. @throws PageError 404 */
  function providerIn(request: Request): Provider {
    const { provider: number = '1' } = request.params
    const found = providers.find((provider) => String(provider.number) === number)
    if (found === undefined || request.params.provider === '1') throw notFound()
    return found
  }

  /** A provider's own redirect URI, so that nobody can pass off its answer as another's. */
  const callbackOf = ({ number }: Provider) =>
    `${config.publicUrl}/console/sign-in/callback${number === 1 ? '' : `/${number}`}`

  /** GET /sign-in/start/:provider: redirects to the provider. */
  const start: RequestHandler = async (request, response) => {
    const provider = providerIn(request)
    if (request.method === 'HEAD') return response.end()
    const { url, checks } = await provider.begin(callbackOf(provider))
    await flow.begin(response, { ...checks, provider: provider.number }, cookies.session.read(request))
    response.redirect(303, url)
  }

  /** GET /sign-in/callback/:provider: the provider redirects here. */
  const callback: RequestHandler = async (request, response) => {
    const provider = providerIn(request)
    if (request.method === 'HEAD') return response.end()
    const begun = await flow.read(request, provider)
    if (begun === null) throw notBegunHere()
    await limitAttempts(context.limiter, 'sign-in', addressKey(request.ip), config.console.signInsPerMinute)
    const address = new URL(callbackOf(provider))
    address.search = String(parametersOf(request))
    await countOutcome(context, provider.name, async () => {
      const signedIn = await provider.finish(address, begun)
      if (!(await store.useOnce(begun.used, new Date(Date.now() + flowSeconds * 1000)))) {
        throw new IdentityRefused('used before')
      }
      const older = begun.older === undefined ? undefined : Buffer.from(begun.older, 'base64url')
      const session = await openSession(context, signedIn, older, response)
      await rememberProvider(response, session, provider, signedIn.idToken)
    })
    flow.clear(response)
    show(context, response, 200, signedInPage(base))
  }

  /** Remembers the provider for signing out. Only this session opens the cookie. */
  async function rememberProvider(response: Response, session: Buffer, { number }: Provider, idToken: string) {
    const seconds = config.console.sessionMinutes * 60 + rememberedSeconds
    const hint = idToken.length <= longestIdToken ? { idToken } : {}
    const sealed = await sessionSeal.seal({ provider: number, ...hint }, session.toString('base64url'), seconds)
    cookies.signOut.write(response, sealed, seconds)
  }

  /** POST /sign-out: ends the session in the database, then the provider's. */
  const out: RequestHandler = async (request, response: Response<unknown, Locals>) => {
    const { digest } = sessionOf(response)
    await store.signOut(digest)
    for (const cookie of [cookies.session, cookies.signOut]) cookie.clear(response)
    savedRequests.clear(response)
    const kept = await sessionSeal.open(cookies.signOut.read(request), digest.toString('base64url'))
    const provider = providers.find(({ number }) => number === kept?.provider)
    const url = provider?.logoutUrl(kept?.idToken, `${config.publicUrl}/console/sign-in`)
    if (provider === undefined || url === undefined) return response.redirect(303, `${base}/sign-in`)
    delete response.locals.session
    show(context, response, 200, signedOutPage(provider.name, url))
  }

  return { start, callback, out }
}

const notBegunHere = () =>
  new PageError(
    400,
    'Not signed in',
    'This sign-in was started in another browser or more than ten minutes ago, or it is already complete. Please sign in again.',
  )
