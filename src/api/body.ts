import { stringify } from 'csv-stringify/sync'
import type { Request, Response } from 'express'
import Negotiator from 'negotiator'
import type { z } from 'zod'
import type { OperationRow } from '../database/operation-row.ts'
import { escapeFormula } from '../domain/text.ts'
import { type Body, createBody, sendCompressed } from '../http/compression.ts'
import { disclaimers, jsonType, listEnvelope, singleEnvelope } from '../http/response.ts'
import { type PhotoSigner, photoUrls, withPhotoUrls } from '../photos/signer.ts'
import { type BodyAndHeaders, queryKeyOf, type RequestKey } from './cache.ts'
import type { Cursors } from './cursors.ts'
import type { Operation } from './operation.ts'

export type BodyOptions = {
  signer: PhotoSigner
  cursors: Cursors
  /** The `_meta` object as JSON text. */
  meta: string
  /** The address for clients, with `/v1`. */
  baseUrl: string
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
    return { content: createBody(Buffer.from(singleEnvelope(resource, meta))), headers: {} }
  }
  const total = Number(row.total)
  const link = linkOf(requestKey, row, cursors, baseUrl)
  const headers: Record<string, string> = link === undefined ? {} : { Link: link }
  if (format === 'json') {
    const page = { elements: data, page: Number(values.page), perPage: Number(values.per_page), total }
    return { content: createBody(Buffer.from(listEnvelope(page, meta))), headers }
  }
  const besides = { 'X-Total-Count': String(total), 'X-Disclaimers': disclaimers.join(' ') }
  return { content: createBody(Buffer.from(csvOf(operation, data))), headers: { ...headers, ...besides } }
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
  { signer, meta }: BodyOptions,
): Promise<void> {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  let body: Body
  if ('plain' in content) body = content
  else {
    const urls = await photoUrls(signer, content.photoKeys)
    body = createBody(singleEnvelope(withPhotoUrls(content.data, urls), meta))
  }
  await sendCompressed(request, response, 200, format === 'csv' ? csvType : jsonType, body)
}

export const csvType = 'text/csv; charset=utf-8; header=present'

/** Whether the client prefers CSV to JSON. Only lists have CSV. JSON wins without a preference. */
export function prefersCsv(operation: Operation, { headers }: Pick<Request, 'headers'>): boolean {
  const accept = headers.accept?.toLowerCase()
  if (operation.envelope !== 'list' || !accept?.includes('text/csv')) return false
  // The negotiator would match the type's parameters, which do not change the format.
  const plain = accept.replaceAll(/text\/csv((?:\s*;(?!\s*q=)[^,;]*)+)/g, 'text/csv')
  return new Negotiator({ headers: { accept: plain } }).mediaType(['application/json', 'text/csv']) === 'text/csv'
}

/** A page of a list as CSV (RFC 4180), with the columns in the JSON's order. Numbers keep their
 * digits, null is empty, "; " joins arrays, and an apostrophe guards a cell that looks like a
 * formula. `records` are JSON texts joined by commas. */
function csvOf(operation: Operation, records: string): string {
  const data = JSON.parse(`[${records}]`, exactly) as object[]
  const lines = data.map((record) => Object.values(record).map(cell))
  // Quotes a text with any kind of line break, because programs disagree on what ends a line.
  return stringify([columnsOf(operation), ...lines], { record_delimiter: 'windows', quote_record_delimiter: true })
}

/** Keeps the digits of a number as the JSON has them. */
type Exact = { digits: string }

/** TypeScript's type of this function lacks the third argument. */
const exactly = ((_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' ? { digits: source } : value) as unknown as (key: string, value: unknown) => unknown

function cell(value: null | boolean | string | string[] | Exact): string {
  if (value === null) return ''
  if (Array.isArray(value)) return escapeFormula(value.join('; '))
  if (typeof value === 'object') return value.digits
  return typeof value === 'string' ? escapeFormula(value) : String(value)
}

/** The names of a record's fields, in the order of the JSON. */
function columnsOf({ schema }: Operation): string[] {
  const { data } = (schema as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>).shape
  return Object.keys(data.element.shape)
}
