import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { StatementFailed } from '../../../database/errors.ts'
import { OutOfMemory } from '../../child.ts'
import { ImportFailed } from '../../importer/process.ts'
import { type Context, forgedForm, type Locals, managedStudioOf, notFound, PageError, visitOf } from '../context.ts'
import { isFrom, parametersOf } from '../forms.ts'
import { importOffPage, importPage } from '../pages/import.ts'
import { previewPage } from '../pages/import-preview.ts'
import { pathOf } from '../pages/layout.ts'
import { show } from '../respond.ts'
import { changedChoices, choicesIn, digestOfUpload, type Upload } from './choices.ts'
import { ImportBusy, type Imports, importTimeoutMs } from './imports.ts'
import { readUpload } from './upload.ts'

type Answer = Response<unknown, Locals>

/** How long to wait when others import, in seconds. */
const retrySeconds = 15

/** So many files are received at once by a process; each is in memory. */
const maxReceiving = 4

/**
 * The handlers of a studio's import, for its owners and admins: upload, see what would change, confirm. It is the studio's own data and
 * no part of the API: it needs no plan, and is there where the public API is off.
 *
 * @param imports undefined: nobody imports here, and the page says who can change that
 */
export function importHandlers(context: Context, imports: Imports | undefined) {
  const { base, store, log, origins } = context
  let receiving = 0
  /** Where it is said what was imported, by the person, the studio and the upload. */
  const imported = new LRUCache<string, string>({ max: 1_000, ttl: 60 * 60_000 })

  /** Reads a form with a file, of a person who may import, sent by a page of the console. The CSRF token in it is verified after this. */
  const receive: RequestHandler = async (request, response: Answer, next) => {
    if (request.method !== 'POST' || !request.is('multipart/form-data')) return next()
    managedStudioOf(request, visitOf(response))
    if (imports === undefined) throw notFound()
    if (!isFrom(origins, request)) throw forgedForm()
    if (receiving >= maxReceiving) throw busy('Others are uploading files at this moment. Please try again shortly.')
    receiving += 1
    try {
      const { fields, file } = await readUpload(request)
      request.body = fields
      response.locals.file = file
    } finally {
      receiving -= 1
    }
    next()
  }

  /** GET /studios/:studio/import?done=… */
  const page: RequestHandler = (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    if (imports === undefined) return show(context, response, 200, importOffPage(studio))
    const numbers = /^(\d{1,9})-(\d{1,9})$/.exec(parametersOf(request).get('done') ?? '')
    const counts = numbers ? { added: Number(numbers[1]), changed: Number(numbers[2]) } : undefined
    show(context, response, 200, importPage({ base, studio, csrfToken: visit.csrfToken, imported: counts }))
  }

  /** POST /studios/:studio/import: stores the file; nothing is imported. */
  const upload: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    if (imports === undefined) throw notFound()
    const { file } = response.locals
    const fields = request.body as Record<string, string>
    const choices = file === undefined ? 'Choose a file.' : choicesIn(fields, file.name)
    if (file === undefined || typeof choices === 'string') {
      const error = typeof choices === 'string' ? choices : ''
      return show(
        context,
        response,
        422,
        importPage({ base, studio, csrfToken: visit.csrfToken, draft: fields, error }),
      )
    }
    await keep(request, response, { content: file.content, choices })
  }

  /** GET /studios/:studio/import/:upload: what the import would do. */
  const preview: RequestHandler = async (request, response: Answer) => {
    const { digest, kept } = await uploadIn(request, response)
    // The headers are those of the page, and nothing is read for them.
    if (request.method === 'HEAD') return response.end()
    await showPreview(request, response, digest, kept)
  }

  /** POST /studios/:studio/import/:upload: imports the file that was shown. It goes on when its client leaves. */
  const confirm: RequestHandler = async (request, response: Answer) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    // Sent again, as when a proxy did not wait for the answer, it says what was imported.
    const confirmed = [visit.person.id, studio.id, String(request.params.upload)].join()
    const before = imported.get(confirmed)
    if (before !== undefined) return response.redirect(303, before)
    const { digest, kept } = await uploadIn(request, response)
    const outcome = await run(response, studio.id, kept, { confirmation: { session: visit.session, digest } })
    if (outcome.errors.count > 0) return showPreview(request, response, digest, kept, outcome)
    const { rows, added, changed } = outcome
    log.info({ kind: kept.choices.kind, rows, added, changed }, 'imported a file from the console')
    const done = `${pathOf(base, studio)}/import?done=${added}-${changed}`
    imported.set(confirmed, done)
    response.redirect(303, done)
  }

  /** POST /studios/:studio/import/:upload/reading: the same file, read in another way. */
  const reading: RequestHandler = async (request, response: Answer) => {
    const { digest, kept } = await uploadIn(request, response)
    const choices = changedChoices(kept.choices, (request.body ?? {}) as Record<string, string>)
    if (typeof choices === 'string') return showPreview(request, response, digest, kept, undefined, choices)
    await keep(request, response, { content: kept.content, choices })
  }

  /** GET of the same: leads a person who had to sign in meanwhile back to the preview. */
  const backToPreview: RequestHandler = (request, response: Answer) => {
    const studio = managedStudioOf(request, visitOf(response))
    response.redirect(303, `${pathOf(base, studio)}/import/${digestIn(request).toString('hex')}`)
  }

  async function keep(request: Request, response: Answer, kept: Upload): Promise<void> {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    const digest = digestOfUpload(kept)
    await store.keepUpload(visit.session, studio.id, kept, digest)
    // The same file may be imported again.
    imported.delete([visit.person.id, studio.id, digest.toString('hex')].join())
    response.redirect(303, `${pathOf(base, studio)}/import/${digest.toString('hex')}`)
  }

  async function showPreview(
    request: Request,
    response: Answer,
    digest: Buffer,
    kept: Upload,
    failed?: Awaited<ReturnType<typeof run>>,
    error?: string,
  ): Promise<void> {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    const outcome = failed ?? (await run(response, studio.id, kept, { until: leaving(response) }))
    const status = failed || error !== undefined ? 422 : 200
    const { choices } = kept
    const view = { base, studio, csrfToken: visit.csrfToken, upload: digest.toString('hex'), choices, outcome, error }
    show(context, response, status, previewPage(view))
  }

  async function uploadIn(request: Request, response: Answer): Promise<{ digest: Buffer; kept: Upload }> {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    if (imports === undefined) throw notFound()
    const digest = digestIn(request)
    const kept = await store.upload(visit.session, studio.id, digest)
    if (kept === undefined) throw gone()
    return { digest, kept }
  }

  async function run(response: Answer, ...given: Parameters<Imports['run']>) {
    if (imports === undefined) throw notFound()
    // Nothing is sent meanwhile. The next request on the connection has the time limit of all others again.
    response.socket?.setTimeout(importTimeoutMs + 30_000)
    try {
      return await imports.run(...given)
    } catch (error) {
      if (given[2].until?.aborted) throw new PageError(408, 'Left', 'The page was left before it was complete.')
      throw pageErrorOf(error)
    }
  }

  return { receive, page, upload, preview, confirm, reading, backToPreview }
}

/** Aborts when nobody waits for a response any more. */
function leaving(response: Response): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort()
  else response.once('close', () => left.abort())
  return left.signal
}

function digestIn(request: Request): Buffer {
  const digest = String(request.params.upload)
  if (!/^[0-9a-f]{64}$/.test(digest)) throw notFound()
  return Buffer.from(digest, 'hex')
}

const busy = (why: string) => new PageError(429, 'One import at a time', why, retrySeconds)
const gone = () =>
  new PageError(
    404,
    'No such file',
    'This file was imported already, another one was uploaded after it, or an hour has passed. Please upload it again.',
  )

/** What a person reads when an import fails for another reason than the file. */
function pageErrorOf(error: unknown): unknown {
  if (error instanceof ImportBusy) {
    const why =
      error.reason === 'studio'
        ? 'A file of this studio is being read or imported at this moment. Please try again when that has ended.'
        : 'Other files are being imported at this moment. Please try again shortly.'
    return busy(why)
  }
  if (error instanceof OutOfMemory) {
    return new PageError(
      413,
      'Too large',
      'The file needs more memory than there is for it. Split it, and import its parts.',
    )
  }
  if (!(error instanceof ImportFailed)) return error
  if (error.sqlState === 'SI409') return gone()
  if (error.sqlState === '55P03')
    return busy('Another import into this studio is running. Please try again when it has ended.')
  if (error.sqlState?.startsWith('SI') || error.sqlState === '42501') {
    return new StatementFailed('import', error.sqlState, error.message)
  }
  if (error.reason === 'Timeout') {
    return new PageError(
      413,
      'Too large',
      `The file took more than ${importTimeoutMs / 60_000} minutes, and nothing was imported. Split it, and import its parts.`,
    )
  }
  if (error.reason === 'Stopping') {
    const why = 'The service is restarting, and nothing was imported. Please try again shortly.'
    return new PageError(503, 'Not available', why, retrySeconds)
  }
  if (error.reason === 'RowsRefused') {
    return new PageError(
      409,
      'Changed meanwhile',
      'Somebody changed the studio’s records meanwhile, and nothing was imported. Please check the file again.',
    )
  }
  return error
}
