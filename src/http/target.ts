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
