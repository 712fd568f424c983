import { Busboy } from '@fastify/busboy'
import type { Request } from 'express'
import { PageError, type UploadedFile } from '../context.ts'
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
  fileSize: maxUpload,
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
    `The file is larger than ${megabytes} MB, so nothing was read. Split it, or ask the operator of this service to import it: studio-inventory import.`,
  )
const unreadable = () => new PageError(400, 'Not accepted', 'The form could not be read. Please go back and try again.')

/** Reads a form with a file (multipart/form-data) into memory. The first of two equal fields
 * counts.
 * @throws PageError 413 for a file beyond the limit, 400 for another body */
export async function readUpload(request: Request): Promise<UploadForm> {
  const { 'content-type': type = '', 'content-length': length } = request.headers
  // The parts around the file take some bytes too.
  if (Number(length) > maxUpload + 2 ** 20) throw tooLarge()
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
  parser.on('file', (field, stream, name) => {
    const chunks: Buffer[] = []
    stream.on('limit', () => reject(tooLarge()))
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      if (field === 'file' && name !== '' && name !== undefined) form.file ??= { name, content: Buffer.concat(chunks) }
    })
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => reject(unreadable()))
  parser.on('error', () => reject(unreadable()))
  parser.on('finish', () => resolve(form))
  request.on('aborted', () => reject(unreadable()))
  request.pipe(parser)
  try {
    return await promise
  } finally {
    request.unpipe(parser)
    request.resume()
  }
}
