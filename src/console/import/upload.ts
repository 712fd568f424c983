import { Busboy } from '@fastify/busboy'
import type { Request } from 'express'
import { PageError, type UploadedFile } from '../guards.ts'
import { type Archives, maxArchive, type StoredArchive } from './archives.ts'
import { maxCategories, maxColumns } from './choices.ts'

/** The largest file that the console imports, in bytes. The database refuses larger ones too. */
export const maxUpload = 10 * 2 ** 20
const megabytes = maxUpload / 2 ** 20

/** A form with a file, as a browser sends it: fields by name, and the file if one was chosen. */
type UploadForm = { fields: Record<string, string>; file: UploadedFile | undefined }

/** Of each column and category its name and what was chosen; and some more. */
const maxFields = 2 * (maxColumns + maxCategories) + 20

const limits = {
  files: 1,
  fileSize: maxArchive,
  fields: maxFields,
  fieldSize: 4096,
  fieldNameSize: 100,
  parts: maxFields + 2,
  headerPairs: 20,
}

const tooLarge = () =>
  new PageError(
    413,
    'Too large',
    `Nothing was read: a file may have ${megabytes} MB, and a ZIP archive of photos 1 GB. Split it, or ask the operator of this service to import it: studio-inventory import.`,
  )
const unreadable = () => new PageError(400, 'Not accepted', 'The form could not be read. Please go back and try again.')

/** Reads a form with a file (multipart/form-data) into memory; photos onto the disk, if they may be
 * stored and their kind comes before them. The first of two equal fields counts.
 * @throws PageError 413 for a file beyond the limit, 400 for another body; file errors */
export async function readUpload(request: Request, studioId: string, archives?: Archives): Promise<UploadForm> {
  const { 'content-type': type = '', 'content-length': length } = request.headers
  const bytes = Number(length ?? maxArchive)
  // The parts around the file take some bytes too.
  if (bytes > (archives ? maxArchive : maxUpload) + 2 ** 20) throw tooLarge()
  const { promise, resolve, reject } = Promise.withResolvers<UploadForm>()
  const form: UploadForm = { fields: Object.create(null), file: undefined }
  let parser: InstanceType<typeof Busboy>
  try {
    parser = new Busboy({ headers: { ...request.headers, 'content-type': type }, limits })
  } catch {
    throw unreadable()
  }
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) reject(unreadable())
    form.fields[name] ??= value
  })
  let storing: { done: Promise<StoredArchive>; stop(): void } | undefined
  parser.on('file', (field, stream, name) => {
    stream.on('limit', () => reject(tooLarge()))
    const isFile = field === 'file' && name !== '' && name !== undefined
    if (isFile && archives && form.fields.kind === 'photos') {
      const done = archives.receive(studioId, stream, bytes)
      storing = { done, stop: () => stream.destroy(new Error('stopped')) }
      done.then((archive) => {
        form.file ??= { name, content: Buffer.alloc(0), archive }
      }, reject)
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxUpload) chunks.push(chunk)
      else reject(tooLarge())
    })
    stream.on('end', () => {
      if (isFile) form.file ??= { name, content: Buffer.concat(chunks) }
    })
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => reject(unreadable()))
  parser.on('error', () => reject(unreadable()))
  parser.on('finish', () => void Promise.resolve(storing?.done).then(() => resolve(form), reject))
  request.on('aborted', () => reject(unreadable()))
  request.pipe(parser)
  try {
    return await promise
  } catch (error) {
    storing?.stop()
    const stored = await storing?.done.catch(() => undefined)
    if (stored) await archives?.remove(stored.id)
    throw error
  } finally {
    request.unpipe(parser)
    request.resume()
  }
}
