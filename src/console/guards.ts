import type { Request, RequestHandler, Response } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import { isUuid } from '../domain/text.ts'
import type { StoredArchive } from './import/archives.ts'
import { apiOff, whoTurnsItOn } from './pages/layout.ts'
import type { Person, Studio } from './store.ts'

/** A person who is signed in. */
export type Visit = { session: Buffer; csrfToken: string; person: Person }

/** Stored in `response.locals` once the user is identified. */
export type Locals = { visit?: Visit; file?: UploadedFile | undefined }

/** A file in a form, with the sender's name for it. An archive of photos is on the disk. */
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

export type ConsoleResponse = Response<unknown, Locals>

export function visitOf({ locals: { visit } }: ConsoleResponse): Visit {
  if (visit === undefined) throw new Error('nobody is signed in')
  return visit
}

/** Reads an id in the path. @throws PageError 404 for other text */
export function idIn(request: Request, name: 'studio' | 'token' | 'member' | 'item' | 'policy'): string {
  const id = String(request.params[name])
  if (!isUuid(id)) throw notFound()
  return id
}

/** A request for a studio's page, and its sender. */
export type At = { request: Request; response: ConsoleResponse; visit: Visit; studio: Studio }

const inStudio =
  (check: (studio: Studio) => void) =>
  (handle: (at: At) => unknown): RequestHandler =>
  (request, response: ConsoleResponse) => {
    const visit = visitOf(response)
    const id = idIn(request, 'studio')
    const studio = visit.person.studios.find((candidate) => candidate.id === id)
    if (studio === undefined) throw notFound()
    check(studio)
    return handle({ request, response, visit, studio })
  }

/** A handler for all members. @throws PageError 404 for other studios, or without the API */
export const requirePublicApi = inStudio(({ publicApi }) => {
  if (!publicApi) throw new PageError(404, 'The public API is off', `${apiOff} ${whoTurnsItOn}`)
})

/** A handler for all members, whatever the plan. @throws PageError 404 for other studios */
export const viewing = inStudio(() => undefined)

/** A handler for owners and admins. @throws PageError 404 for other studios, 403 for members */
export const managing = inStudio(({ mayManage }) => {
  if (!mayManage) throw new PageError(403, 'Not allowed', 'Only owners and admins of the studio can do that.')
})
