import { hash } from 'node:crypto'
import { manifest } from '../config/config.ts'

/** Entity-tags of answers: `W/"<request>.<data>.<day>"`. Data and day are the version without
 * the studio; request is a digest of request, release and `_meta`. Weak: bodies may be
 * compressed. */
export type EntityTags = ReturnType<typeof createEntityTags>

/** @param meta the `_meta` object as JSON text */
export function createEntityTags(meta: string) {
  const digest = (request: string) => hash('sha1', `${manifest.version} ${meta} ${request}`, 'base64url').slice(0, 10)
  return {
    /** The entity-tag of an answer with this version. */
    of: (version: string, request: string): string =>
      `W/"${digest(request)}.${version.slice(version.indexOf('/') + 1).replace('/', '.')}"`,
    /** The version in the first tag of an `If-None-Match` of this request and studio. */
    versionIn(ifNoneMatch: string, request: string, studioId: string): string | undefined {
      for (const opaque of opaqueTags(ifNoneMatch)) {
        const [, of, data, day] = /^([\w-]{10})\.(\d{1,40})\.(\d{4,6}-\d\d-\d\d)$/.exec(opaque) ?? []
        if (of !== undefined && of === digest(request)) return `${studioId}/${data}/${day}`
      }
      return undefined
    },
  }
}

/** Whether an `If-None-Match` has this entity-tag, by weak comparison, or is `*`. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined || tag === undefined) return false
  return ifNoneMatch.trim() === '*' || opaqueTags(ifNoneMatch).includes(opaqueTags(tag)[0] ?? '')
}

/** The quoted texts in a list of entity-tags, weak or strong, without the coding that Apache
 * appends to a tag when it compresses a body. Skips other text. */
function opaqueTags(field: string): string[] {
  return [...field.matchAll(/(?:W\/)?"([^"\s]*?)(?:-gzip|-br)?"/g)].map(([, opaque]) => opaque ?? '')
}
