const absoluteForm = /^https?:\/\/[^/?#]*/i

/**
 * Gives the target in origin form (`/path?query`), whose path is valid percent-encoded UTF-8. The scheme and host of an absolute form are
 * dropped (RFC 9112 §3.2.2), and so is a fragment. A path that does not decode has every `%` taken literally: a malformed id is unknown.
 * @example normalizeTarget('/v1/items/%ZZ?page=1') // '/v1/items/%25ZZ?page=1'
 */
export function normalizeTarget(target: string): string {
  if (/^\/[^#%]*$/.test(target)) return target
  const { path, query } = splitTarget(target.replace(absoluteForm, '').replace(/#.*$/s, ''))
  const safe = decodes(path) ? path : path.replaceAll('%', '%25')
  return `${safe.startsWith('/') ? '' : '/'}${safe}${query === '' ? '' : `?${query}`}`
}

/**
 * Removes the path of PUBLIC_URL, which has no slash at its end and may be empty, where a proxy has kept it.
 * @example withoutPrefix('/inventory/console?page=1', '/inventory') // '/console?page=1'
 */
export function withoutPrefix(target: string, prefix: string): string {
  if (prefix === '' || !target.startsWith(prefix)) return target
  const rest = target.slice(prefix.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : target
}

/** Path and query (without `?`, empty when there is none) of a target in origin form. */
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
