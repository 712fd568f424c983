import type { IncomingMessage } from 'node:http'
import type { ProblemCode } from './problems.ts'

export const longestTarget = 8 * 1024
export const maxHeaderBytes = 16 * 1024
export const maxHeaders = 100

/** What is wrong with a message that the parser accepted, or null. The parser has wider limits,
 * so that each error gets its own status. HTTP/1.1 requires exactly one Host (RFC 9112 §3.2). */
export function faultOf(request: IncomingMessage): ProblemCode | null {
  if ((request.url ?? '').length > longestTarget) return 'uri_too_long'
  const headers = request.rawHeaders
  if (headers.length > 2 * maxHeaders) return 'header_fields_too_large'
  let bytes = 0
  for (const text of headers) bytes += text.length
  if (bytes > maxHeaderBytes) return 'header_fields_too_large'
  const hosts = occurrences(request, 'host')
  if (hosts > 1 || (hosts === 0 && request.httpVersionMinor > 0)) return 'bad_request'
  return null
}

/** Counts a header, `name` in lower case. `request.headers` keeps only the first of several. */
export function occurrences(request: IncomingMessage, name: string): number {
  const headers = request.rawHeaders
  let count = 0
  for (let index = 0; index < headers.length; index += 2) {
    const given = headers[index]
    if (given?.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}
