import type { Request, Response } from 'express'
import { z } from 'zod'
import type { SecretKeys } from '../domain/keys.ts'
import type { Cookie } from './cookies.ts'
import { createSeal } from './cookies.ts'
import { field } from './forms.ts'

/** The fields of the form of a new token. */
const draftFields = ['name', 'scope', 'expires', 'last_day', 'addresses'] as const

const content = z.object({
  /** The page to return to, below the console's path: `/studios/…`. Empty: the first page. */
  path: z.string(),
  /** Whether a session ended; otherwise the person had not signed in. */
  ended: z.boolean(),
  /** Whether the person sent a form, which was not processed. */
  sent: z.boolean(),
  /** The draft of a new token, if it fits into a cookie. */
  draft: z.record(z.enum(draftFields), z.string()).optional(),
})

/** Where a person wanted to go, and what they had typed, before they had to sign in. */
export type SavedRequest = z.infer<typeof content>

/** For how many seconds the cookie keeps it. */
const keptSeconds = 30 * 60

const audience = 'sign-in'
const longestPath = 1000

/** Browsers store no cookie whose name and value exceed 4,096 bytes. */
const longestCookie = 3_900

/** The path of a studio's page, with the id of the studio. */
const studioPath = /^\/studios\/([0-9a-f-]{36})\//

/** Keeps the page and the draft of a person who must sign in, in a sealed cookie. No address
 * contains them, and the draft is not sent by itself. */
export function createSavedRequests(secretKeys: SecretKeys, cookie: Cookie) {
  const seal = createSeal(secretKeys, 'console:resume', content)
  const read = (request: Request) => seal.open(cookie.read(request), audience)

  return {
    /** The kept page and draft, or null. */
    read,

    /** Keeps the page that a request asks for. If no session has ended, it does not keep the first
     * page, and leaves an earlier one.
     * @param how whether a session ended, and whether the draft came from its form */
    async keep(request: Request, response: Response, how: { ended: boolean; trusted: boolean }): Promise<void> {
      const { ended, trusted } = how
      const sent = request.method === 'POST'
      const path = studioPath.test(request.url) && request.url.length <= longestPath ? request.url : ''
      if (!ended && (path === '' || (await read(request)) !== null)) return
      const where = { path, ended, sent }
      const draft = trusted && sent && /^\/studios\/[^/]+\/tokens$/.test(path) ? draftIn(request) : undefined
      const whole = await seal.seal({ ...where, ...(draft && { draft }) }, audience, keptSeconds)
      const fits = whole.length <= longestCookie
      cookie.write(response, fits ? whole : await seal.seal(where, audience, keptSeconds), keptSeconds)
    },

    clear: (response: Response) => cookie.clear(response),
  }
}

export type SavedRequests = ReturnType<typeof createSavedRequests>

/** The id of the page's studio; undefined for other pages. */
export function studioIdOf({ path }: Pick<SavedRequest, 'path'>): string | undefined {
  return studioPath.exec(path)?.[1]
}

/** What was typed into the form of a new token. */
export function draftIn(request: Request): NonNullable<SavedRequest['draft']> {
  const typed = draftFields.map((name) => [name, field(request, name)])
  return Object.fromEntries(typed) as NonNullable<SavedRequest['draft']>
}
