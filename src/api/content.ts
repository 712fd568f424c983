import type { Request, Response } from 'express'
import type { Answer } from '../database/answer.ts'
import { type Body, createBody, sendCompressed } from '../http/compression.ts'
import { arrayEnvelope, disclaimers, listEnvelope, singleEnvelope } from '../http/envelope.ts'
import type { Parameters } from '../http/parameters.ts'
import { jsonType } from '../http/response.ts'
import type { Logger } from '../observability/log.ts'
import { type Content, isBody, type Unsigned } from './cache.ts'
import { csvOf, csvType, prefersCsv } from './csv.ts'
import type { Operation } from './operation.ts'
import { photoUrls, withPhotoUrls } from './photos/photo-urls.ts'
import type { PhotoSigner } from './photos/signer.ts'

type Signing = { signer: PhotoSigner; meta: string; log: Logger }

/** Sends a content; photo URLs are signed now. */
export function sendContent(
  operation: Operation,
  request: Request,
  response: Response,
  content: Content,
  signing: Signing,
): Promise<void> {
  if (isBody(content)) return sendBody(operation, request, response, content)
  return signed(content, signing).then((body) => sendBody(operation, request, response, body))
}

/** Sends a body, of a list as CSV where the client prefers that; what is around the data in JSON is then in headers. */
function sendBody(operation: Operation, request: Request, response: Response, body: Body): Promise<void> {
  if (!prefersCsv(operation, request)) return sendCompressed(request, response, 200, jsonType, body)
  const csv = body.alternative ?? alternativeOf(operation, body)
  response.setHeader('X-Total-Count', csv.total)
  response.setHeader('X-Disclaimers', disclaimers.join(' '))
  return sendCompressed(request, response, 200, csvType, csv.body)
}

/** Makes the CSV of a list, which is kept with its JSON: it takes ten milliseconds for a hundred records. */
function alternativeOf(operation: Operation, body: Body): NonNullable<Body['alternative']> {
  const { text, total } = csvOf(operation, body.plain)
  const csv = createBody(text)
  csv.grown = () => body.grown?.()
  body.alternative = { body: csv, total }
  body.grown?.()
  return body.alternative
}

/**
 * What an answer of status 200 is sent as, and cached.
 *
 * @param meta the `_meta` object as JSON text
 */
export function contentOf(
  operation: Operation,
  answer: Answer,
  { page, per_page }: Readonly<Parameters>,
  meta: string,
): Content {
  const data = answer.data ?? ''
  if (operation.envelope === 'list') return createBody(listEnvelope(data, page, per_page, Number(answer.total), meta))
  if (operation.envelope === 'array') return createBody(arrayEnvelope(data, meta))
  if (operation.photos === undefined) return createBody(singleEnvelope(data, meta))
  const photoKeys = answer.photo_keys ?? []
  // Without photos there is nothing to sign.
  if (photoKeys.length === 0) return createBody(singleEnvelope(withPhotoUrls(String(data), []), meta))
  return { data, photoKeys }
}

async function signed(content: Unsigned, { signer, meta, log }: Signing): Promise<Body> {
  const urls = await photoUrls(signer, content.photoKeys, log)
  return createBody(singleEnvelope(withPhotoUrls(String(content.data), urls), meta))
}
