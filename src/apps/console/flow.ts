import type { Request, Response } from 'express'
import { z } from 'zod'
import { digestOf } from '../../auth/token.ts'
import type { Cookie } from './cookies.ts'
import { isCookieValue } from './cookies.ts'
import type { Provider } from './identity/provider.ts'
import { createSeal } from './seal.ts'

const content = z.object({
  /** The number of the provider that the browser was sent to. */
  provider: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The digest of the session that the browser had, as base64url; it ends with the sign-in. */
  older: z.string().optional(),
})

/** A sign-in that a browser has begun at a provider. */
export type Begun = z.infer<typeof content>

/** How long somebody may take at the provider, in seconds. */
export const flowSeconds = 10 * 60

const audience = 'the browser that began it'

/**
 * Binds a sign-in at a provider to the browser that began it: state, nonce and PKCE verifier travel in a sealed cookie, and only
 * the browser that has it can finish. The cookie is SameSite=Lax, because the provider leads back from another site.
 */
export function createFlow(secretKey: string, cookie: Cookie) {
  const seal = createSeal(secretKey, 'console:sign-in', content)
  return {
    /** @param session the cookie of the session that the browser has, if any */
    async begin(response: Response, checks: Omit<Begun, 'older'>, session: string | undefined): Promise<void> {
      const older = isCookieValue(session) ? { older: digestOf(session).toString('base64url') } : {}
      cookie.write(response, await seal.seal({ ...checks, ...older }, audience, flowSeconds), flowSeconds)
    },

    /** What this browser has begun at this provider; null when it has not, or too long ago. */
    async read(request: Request, { number }: Provider): Promise<(Begun & { used: Buffer }) | null> {
      const sealed = cookie.read(request)
      const begun = await seal.open(sealed, audience)
      if (sealed === undefined || begun === null || begun.provider !== number) return null
      return { ...begun, used: digestOf(begun.state) }
    },

    clear: (response: Response) => cookie.clear(response),
  }
}

export type Flow = ReturnType<typeof createFlow>
