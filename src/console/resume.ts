import type { Request, Response } from 'express'
import { z } from 'zod'
import type { Cookie } from './cookies.ts'
import { createSeal } from './cookies.ts'
import { field } from './forms.ts'

const content = z.object({
  /** The page to come back to, below the console's path: `/studios/…`. Empty: its first page. */
  path: z.string(),
  /** Whether there was a session, which ended; else somebody was not signed in yet. */
  ended: z.boolean(),
  /** Whether a form was sent, which was not carried out. */
  sent: z.boolean(),
  /** What was typed into the form of a new token, if it fits into a cookie. */
  draft: z.object({ name: z.string(), scope: z.string(), expires: z.string(), addresses: z.string() }).optional(),
})

/** Where somebody was who has to sign in, and what they had typed. */
export type Interruption = z.infer<typeof content>

/** How long that is kept, in seconds. */
const keptSeconds = 30 * 60

const audience = 'whoever signs in'
const longestPath = 1000

/** A browser stores no cookie whose name and value have more bytes than 4,096. */
const longestCookie = 3_900

/** The path of a studio's page, with the id of the studio. */
const studioPath = /^\/studios\/([0-9a-f-]{36})\//

/** Keeps, in a sealed cookie, where somebody was who has to sign in and what they had typed. Nothing of it is in an address,
 * and nothing is carried out by itself. */
export function createResume(secretKey: string, cookie: Cookie) {
  const seal = createSeal(secretKey, 'console:resume', content)
  const read = (request: Request) => seal.open(cookie.read(request), audience)

  return {
    /** What is kept; null when nothing is. */
    read,

    /** Keeps where the request leads, unless that says nothing, or less than what is kept already. @param how whether a session
     * ended; and whether what was sent came from a form of that session, so that it may be shown in it again */
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

export type Resume = ReturnType<typeof createResume>

/** The id of the studio whose page it is; undefined for other pages. */
export function studioIdOf({ path }: Pick<Interruption, 'path'>): string | undefined {
  return studioPath.exec(path)?.[1]
}

/** What a form of a new token says. */
export function draftIn(request: Request): NonNullable<Interruption['draft']> {
  const [name = '', scope = '', expires = '', addresses = ''] = ['name', 'scope', 'expires', 'addresses'].map((one) =>
    field(request, one),
  )
  return { name, scope, expires, addresses }
}
