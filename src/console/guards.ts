import type { Request, RequestHandler, Response } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import { isUuid } from '../domain/text.ts'
import type { StoredArchive } from './import/archives.ts'
import { apiOff, whoTurnsItOn } from './pages/layout.ts'
import type { Person, Studio } from './store.ts'

/** The session of a person who is signed in. `digest` is that of its secret, by which PostgreSQL knows it. */
export type Session = { digest: Buffer; csrfToken: string; person: Person }

/** Handlers find this in `response.locals` once the user is known. */
export type Locals = { session?: Session; file?: UploadedFile | undefined }

/** A file that somebody sent with a form, and the name that they gave it. An archive of photos is a
 * file on the disk. */
export type UploadedFile = { name: string; content: Buffer; archive?: StoredArchive }

/** A page that tells a person what went wrong, with its status. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly title: string
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, title: string, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.title = title
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const forgedForm = () =>
  new PageError(
    403,
    'Not accepted',
    'This form was not sent from a page of this console, or the page has expired. Please go back, reload and try again.',
  )

export const notFound = () =>
  new PageError(404, 'Not found', 'This page does not exist, or you do not have access to it.')

/** Counts an attempt. @returns a function that takes it back
 * @throws PageError after too many attempts in this minute */
export async function limitAttempts(limiter: Limiter, what: string, key: string, perMinute: number) {
  const { retryAfterSeconds: wait, takeBack } = await limiter.admitAction(what, key, perMinute)
  if (wait > 0) throw new PageError(429, 'Too many attempts', `Please wait ${wait} seconds and try again.`, wait)
  return takeBack
}

type ConsoleResponse = Response<unknown, Locals>

export function sessionOf({ locals: { session } }: ConsoleResponse): Session {
  if (session === undefined) throw new Error('nobody is signed in')
  return session
}

/** Reads an id in the path. @throws PageError 404 for other text */
export function idIn(request: Request, name: 'studio' | 'token' | 'member' | 'item' | 'policy'): string {
  const id = String(request.params[name])
  if (!isUuid(id)) throw notFound()
  return id
}

/** A request for a page of a studio, with the person who sent it. */
export type StudioRequest = { request: Request; response: ConsoleResponse; session: Session; studio: Studio }

const inStudio =
  (check: (studio: Studio) => void) =>
  (handle: (at: StudioRequest) => unknown): RequestHandler =>
  (request, response: ConsoleResponse) => {
    const session = sessionOf(response)
    const id = idIn(request, 'studio')
    const studio = session.person.studios.find((candidate) => candidate.id === id)
    if (studio === undefined) throw notFound()
    check(studio)
    return handle({ request, response, session, studio })
  }

/** A handler for all members. @throws PageError 404 for other studios, or without the API */
export const requirePublicApi = inStudio(({ publicApi }) => {
  if (!publicApi) throw new PageError(404, 'The public API is off', `${apiOff} ${whoTurnsItOn}`)
})

/** A handler for all members, whatever the plan. @throws PageError 404 for other studios */
export const requireMember = inStudio(() => undefined)

/** A handler for owners and admins. @throws PageError 404 for other studios, 403 for members */
export const requireManager = inStudio(({ mayManage }) => {
  if (!mayManage) throw new PageError(403, 'Not allowed', 'Only owners and admins of the studio can do that.')
})
