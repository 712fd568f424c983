import type { RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { send } from '../../http/response.ts'
import { exampleOf, kinds, templateOf } from '../../importer/kinds/index.ts'
import type { Context } from '../context.ts'
import { isFrom, parametersOf } from '../forms.ts'
import { forgedForm, notFound, PageError, requireManager, type StudioRequest } from '../guards.ts'
import { type Imported, importOffPage, importPage } from '../pages/import.ts'
import { previewPage, rowsOnPage } from '../pages/import-preview.ts'
import { pathOf } from '../pages/layout.ts'
import { show } from '../respond.ts'
import { changedChoices, choicesIn, digestOfUpload, recalledChoices, type Upload } from './choices.ts'
import { busy, gone, type Imports, importTimeoutMs, pageErrorOf, refuseToStore } from './imports.ts'
import { readUpload } from './upload.ts'

/** So many files are received at once by a process; each is in memory. */
const maxReceiving = 4

/** A studio's import, for owners and admins: upload, preview, confirm. Needs neither a plan nor
 * the public API. @param imports undefined: off, and the page says who can change that */
export function importHandlers(context: Context, imports: Imports | undefined) {
  const { base, store, log, origins, csrf } = context
  let receiving = 0
  /** The result of an import by person, studio and upload: sending a form again leads there. */
  const imported = new LRUCache<string, string>({ max: 1_000, ttl: 60 * 60_000 })
  const nameOf = ({ session, studio }: StudioRequest, upload: string) => [session.person.id, studio.id, upload].join()

  /** A handler where people may import. */
  const importing = (handle: (at: StudioRequest, imports: Imports) => unknown) =>
    requireManager((at) => {
      if (imports === undefined) throw notFound()
      return handle(at, imports)
    })

  /** The same for a path that names an upload, which the handler gets. */
  const ofUpload = (handle: (at: StudioRequest & { digest: Buffer; kept: Upload }) => unknown) =>
    importing(async (at) => {
      const digest = digestIn(at)
      const kept = await store.upload(at.session.digest, at.studio.id, digest)
      if (kept === undefined) throw gone()
      await handle({ ...at, digest, kept })
    })

  /** Reads a form with a file, from a console page. Only people who may import can send one. */
  const receive: RequestHandler = async (request, response, next) => {
    if (!request.is('multipart/form-data')) return next()
    await importing(async ({ studio }, { photos, archives }) => {
      if (!isFrom(origins, request)) throw forgedForm()
      if (receiving >= maxReceiving) throw busy('Other files are being uploaded. Please try again shortly.')
      receiving += 1
      try {
        const { fields, file } = await readUpload(request, studio.id, photos ? archives : undefined).catch(
          refuseToStore,
        )
        request.body = fields
        response.locals.file = file
      } finally {
        receiving -= 1
      }
    })(request, response, next)
    next()
  }

  /** GET /studios/:studio/import?done=… */
  const page = requireManager(({ request, response, session, studio }) => {
    if (imports === undefined) return show(context, response, 200, importOffPage(studio))
    const done = parametersOf(request).get('done') ?? ''
    const [, kind = '', added, changed, stamp] = /^([a-z-]+)-(\d+)-(\d+)-(.*)$/.exec(done) ?? []
    const just = { kind, added: Number(added), changed: Number(changed) }
    const isTrue = stamp !== undefined && csrf.verify(importedText(studio, just), stamp)
    const view = {
      base,
      studio,
      csrfToken: session.csrfToken,
      imported: isTrue ? just : undefined,
      photos: imports.photos,
    }
    show(context, response, 200, importPage(view))
  })

  /** POST /studios/:studio/import: stores the file; nothing is imported. */
  const upload = importing(async (at, { photos, archives }) => {
    const { request, response, session, studio } = at
    const { file } = response.locals
    const fields = request.body as Record<string, string>
    const kept =
      !photos && fields.kind === 'photos'
        ? 'Photos cannot be imported here, because this service keeps them in a bucket.'
        : undefined
    const choices = file === undefined ? 'Choose a file.' : (kept ?? choicesIn(fields, file))
    if (file !== undefined && typeof choices !== 'string') return keep(at, { content: file.content, choices })
    if (file?.archive) await archives.remove(file.archive.id)
    const view = { base, studio, csrfToken: session.csrfToken, draft: fields, error: String(choices), photos }
    show(context, response, 422, importPage(view))
  })

  /** GET /studios/:studio/import/:upload: what the import would do. */
  const preview = ofUpload(async ({ digest, kept, ...at }) => {
    // The headers are those of the page, and nothing is read for them.
    if (at.request.method === 'HEAD') return at.response.end()
    await showPreview(at, digest, kept)
  })

  /** POST /studios/:studio/import/:upload: imports the file, even if its client leaves. */
  const confirm: RequestHandler = (request, response, next) =>
    importing((at) => {
      const before = imported.get(nameOf(at, String(request.params.upload)))
      return before === undefined ? importNow(request, response, next) : response.redirect(303, before)
    })(request, response, next)

  const importNow = ofUpload(async ({ digest, kept, ...at }) => {
    const { response, session, studio } = at
    const outcome = await run(at, kept, { confirmation: { session: session.digest, digest } })
    if (outcome.errors.count > 0) return showPreview(at, digest, kept, { outcome })
    if (outcome.columns.some(({ suggested }) => suggested)) {
      return showPreview(at, digest, kept, {
        outcome,
        error: 'Confirm what the columns are before you import the file.',
      })
    }
    const { rows, added, changed } = outcome
    const { kind } = kept.choices
    log.info({ kind, rows, added, changed }, 'imported a file from the console')
    const stamp = csrf.tokenFor(importedText(studio, { kind, added, changed }))
    const done = `${pathOf(base, studio)}/import?done=${kind}-${added}-${changed}-${stamp}`
    imported.set(nameOf(at, digest.toString('hex')), done)
    response.redirect(303, done)
  })

  /** POST /studios/:studio/import/:upload/reading: the same file, read in another way. */
  const reading = ofUpload(async ({ digest, kept, ...at }) => {
    const choices = changedChoices(kept.choices, (at.request.body ?? {}) as Record<string, string>)
    if (typeof choices === 'string') return showPreview(at, digest, kept, { error: choices })
    await keep(at, { content: kept.content, choices })
  })

  /** GET of the same: leads a person who had to sign in meanwhile back to the preview. */
  const backToPreview = requireManager((at) =>
    at.response.redirect(303, `${pathOf(base, at.studio)}/import/${digestIn(at).toString('hex')}`),
  )

  async function keep(at: StudioRequest, kept: Upload): Promise<void> {
    const { response, session, studio } = at
    const digest = digestOfUpload(kept)
    await store.keepUpload(session.digest, studio.id, kept, digest)
    const { archive } = kept.choices
    if (archive) await imports?.archives.removeOthers(studio.id, archive.id)
    // The same file may be imported again.
    imported.delete(nameOf(at, digest.toString('hex')))
    response.redirect(303, `${pathOf(base, studio)}/import/${digest.toString('hex')}`)
  }

  async function showPreview(
    at: StudioRequest,
    digest: Buffer,
    { choices, content }: Upload,
    wrong?: { outcome?: Awaited<ReturnType<typeof run>>; error?: string },
  ): Promise<void> {
    const { response, session, studio } = at
    const given = parametersOf(at.request).get('after') ?? ''
    const after = /^\d{1,9}$/.test(given) ? Number(given) : undefined
    const how = { until: leaving(response), shown: after === undefined ? undefined : { after, rows: rowsOnPage } }
    let outcome = wrong?.outcome ?? (await run(at, { choices, content }, how))
    if (outcome.recalled !== undefined) {
      const recalled = recalledChoices(choices, outcome.recalled)
      if (recalled !== undefined) return keep(at, { content, choices: recalled })
      outcome = await run(at, { choices: { ...choices, isNew: false }, content }, how)
    }
    const shown = { upload: digest.toString('hex'), choices, outcome, after, error: wrong?.error }
    const view = { base, studio, csrfToken: session.csrfToken, ...shown }
    const { count } = outcome.errors
    if (count > 0) log.info({ kind: choices.kind, errors: count }, 'refused a file in the console')
    show(context, response, wrong || count > 0 ? 422 : 200, previewPage(view))
  }

  async function run({ response, studio }: StudioRequest, kept: Upload, how: Parameters<Imports['run']>[2]) {
    if (imports === undefined) throw notFound()
    // Nothing is sent meanwhile. The next request has the usual time limit.
    response.socket?.setTimeout(importTimeoutMs + 30_000)
    try {
      return await imports.run(studio.id, kept, how)
    } catch (error) {
      if (how.until?.aborted) throw new PageError(408, 'Left', 'You left the page before it was complete.')
      throw pageErrorOf(error)
    }
  }

  /** GET /studios/:studio/import/templates/:file: a kind's header, and in an example a row. */
  const template = importing(({ request, response }) => {
    const [, name, example] = /^([a-z-]+?)(-example)?\.csv$/.exec(String(request.params.file)) ?? []
    const kind = kinds.find((candidate) => candidate.name === name)
    if (kind === undefined) throw notFound()
    response.setHeader('Content-Disposition', `attachment; filename="${name}${example ?? ''}.csv"`)
    send(response, 200, 'text/csv; charset=utf-8', example ? exampleOf(kind) : `${templateOf(kind)}\r\n`)
  })

  return { receive, page, upload, preview, confirm, reading, backToPreview, template }
}

/** What the address says after an import, with a stamp that only this service can make. */
const importedText = ({ id }: { id: string }, { kind, added, changed }: Imported) =>
  `imported ${kind} into ${id}: ${added} added, ${changed} changed`

/** Aborts when nobody waits for a response any more. */
function leaving(response: Response): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort()
  else response.once('close', () => left.abort())
  return left.signal
}

function digestIn({ request }: StudioRequest): Buffer {
  const digest = String(request.params.upload)
  if (!/^[0-9a-f]{64}$/.test(digest)) throw notFound()
  return Buffer.from(digest, 'hex')
}
