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

const absoluteForm = /^https?:\/\/[^/?#]*/i

/** Returns the target in origin form (`/path?query`), with a path of valid percent-encoded
 * UTF-8. Drops the scheme and host of an absolute form (RFC 9112 §3.2.2), and a fragment. If
 * the path does not decode, takes every `%` literally, so that a malformed id is unknown.
 * @example normalizeTarget('/v1/items/%ZZ?page=1') // '/v1/items/%25ZZ?page=1' */
export function normalizeTarget(target: string): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const { path, query } = splitTarget(target.replace(absoluteForm, '').replace(/#.*$/s, ''))
  const safe = decodes(path) ? path : path.replaceAll('%', '%25')
  return `${safe.startsWith('/') ? '' : '/'}${safe}${query === '' ? '' : `?${query}`}`
}

/** Removes the path of PUBLIC_URL, which a proxy may have kept. It has no slash at its end and
 * may be empty.
 * @example withoutPrefix('/inventory/console?page=1', '/inventory') // '/console?page=1' */
export function withoutPrefix(target: string, prefix: string): string {
  if (prefix === '' || !target.startsWith(prefix)) return target
  const rest = target.slice(prefix.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target
}

/** Path and query of a target in origin form. The query has no `?` and may be empty. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?')
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

function decodes(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
