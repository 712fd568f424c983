import type { Request, Response } from 'express'
import type { OperationRow } from '../database/operation-row.ts'
import { type Body, createBody, sendCompressed } from '../http/compression.ts'
import { disclaimers, listEnvelope, singleEnvelope } from '../http/envelope.ts'
import { jsonType } from '../http/response.ts'
import type { Logger } from '../log.ts'
import { type PhotoSigner, photoUrls, withPhotoUrls } from '../photos/signer.ts'
import { type BodyAndHeaders, queryKeyOf, type RequestKey } from './cache.ts'
import { csvOf, csvType } from './csv.ts'
import type { Cursors } from './cursors.ts'

export type BodyOptions = {
  signer: PhotoSigner
  cursors: Cursors
  /** The `_meta` object as JSON text. */
  meta: string
  /** The address for clients, with `/v1`. */
  baseUrl: string
  log: Logger
}

/** The body and the headers of a 200. */
export function bodyOf(
  requestKey: RequestKey,
  row: OperationRow,
  { cursors, meta, baseUrl }: BodyOptions,
): BodyAndHeaders & { headers: Record<string, string> } {
  const { operation, values, format } = requestKey
  const data = row.data ?? ''
  if (operation.photos) return { content: { data, photoKeys: row.photo_keys ?? [] }, headers: {} }
  if (operation.envelope !== 'list') {
    const resource = operation.envelope === 'array' ? `[${data}]` : data
    return { content: createBody(singleEnvelope(resource, meta)), headers: {} }
  }
  const total = Number(row.total)
  const link = linkOf(requestKey, row, cursors, baseUrl)
  const headers: Record<string, string> = link === undefined ? {} : { Link: link }
  if (format === 'json') {
    const page = { elements: data, page: Number(values.page), perPage: Number(values.per_page), total }
    return { content: createBody(listEnvelope(page, meta)), headers }
  }
  const besides = { 'X-Total-Count': String(total), 'X-Disclaimers': disclaimers.join(' ') }
  return { content: createBody(csvOf(operation, data)), headers: { ...headers, ...besides } }
}

/** The `Link` to the next page of a list (RFC 8288), by a cursor. */
function linkOf(requestKey: RequestKey, row: OperationRow, cursors: Cursors, baseUrl: string): string | undefined {
  const { operation, values } = requestKey
  const { has_more, last_at: at, last_id: id, studio_id: studioId } = row
  if (!has_more || at == null || id == null || studioId === null) return undefined
  const query = new URLSearchParams()
  for (const name of Object.keys(operation.parameters)) {
    if (name !== 'page' && name !== 'cursor' && values[name] !== null) query.set(name, String(values[name]))
  }
  const next = { page: Number(values.page) + 1, at, id }
  query.set('cursor', cursors.write(next, queryKeyOf(requestKey), studioId))
  return `<${baseUrl}${operation.path.replace('{id}', String(requestKey.id))}?${query}>; rel="next"`
}

/** Sends a body with its headers, after it has signed the photo URLs that belong to it. */
export async function sendBody(
  { format }: RequestKey,
  { content, headers }: BodyAndHeaders,
  { request, response }: { request: Request; response: Response },
  { signer, meta, log }: BodyOptions,
): Promise<void> {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  let body: Body
  if ('plain' in content) body = content
  else {
    const urls = await photoUrls(signer, content.photoKeys, log)
    body = createBody(singleEnvelope(withPhotoUrls(content.data, urls), meta))
  }
  await sendCompressed(request, response, 200, format === 'csv' ? csvType : jsonType, body)
}
