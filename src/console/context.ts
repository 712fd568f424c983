import type { Response } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import type { Config } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Logger } from '../log.ts'
import type { Cookie, Flow, Reveal } from './cookies.ts'
import type { CsrfTokens } from './forms.ts'
import type { SignInMethod } from './identity/provider.ts'
import type { Frame } from './pages/layout.ts'
import type { SavedRequests } from './saved-request.ts'
import type { Store } from './store.ts'

/** How sign-ins ended since the process started. */
export type SignIns = Record<'signed_in' | 'refused' | 'unavailable', number>

/** What the handlers of the console share. */
export type Context = {
  config: Pick<Config, 'publicUrl' | 'docsUrl' | 'console' | 'rateLimits'>
  store: Store
  /** The pool of studio_api, by which members look at their studio (`asMember`). */
  reader: Pool
  method: SignInMethod
  limiter: Limiter
  log: Logger
  csrf: CsrfTokens
  reveal: Reveal
  savedRequests: SavedRequests
  flow: Flow
  signIns: SignIns
  /** The console's path after the path of PUBLIC_URL: `/console`. */
  base: string
  cookies: { session: Cookie; visitor: Cookie; signOut: Cookie; reveal(tokenId: string): Cookie }
  /** The origins whose pages may send forms. */
  origins: readonly string[]
  /** What the frame of every page needs. */
  frame(response: Response): Frame
}
