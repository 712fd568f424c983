import { hash } from 'node:crypto'
import { manifest } from '../config/config.ts'

/**
 * Entity-tags of answers: `W/"<request>.<data>.<day>"`, where data and day are the version of the studio's data without the
 * studio, and request is a digest of what the answer depends on besides: the request, this release and its `_meta` block. Weak,
 * because a body may be sent compressed. The version can be read from the tag that a client sends back, so that the database can
 * be asked whether it still is the version.
 */
export type EntityTags = {
  /**
   * The entity-tag of an answer.
   *
   * @param request what is asked, as a text
   */
  of(version: string, request: string): string
  /** The version in the first tag of an `If-None-Match` that is one of this request, for a studio; null when none is. */
  versionIn(ifNoneMatch: string | undefined, request: string, studioId: string): string | null
  /** Whether an `If-None-Match` names this entity-tag, by weak comparison, or is `*`. */
  matches(ifNoneMatch: string | undefined, tag: string): boolean
}

/** @param meta the `_meta` object as JSON text */
export function createEntityTags(meta: string): EntityTags {
  const digest = (request: string) => hash('sha1', `${manifest.version} ${meta} ${request}`, 'base64url').slice(0, 10)
  return {
    of: (version, request) => `W/"${digest(request)}.${version.slice(version.indexOf('/') + 1).replace('/', '.')}"`,
    versionIn(ifNoneMatch, request, studioId) {
      if (ifNoneMatch === undefined) return null
      for (const opaque of opaqueTags(ifNoneMatch)) {
        const [, of, data, day] = /^([\w-]{10})\.(\d{1,40})\.(\d{4,6}-\d\d-\d\d)$/.exec(opaque) ?? []
        if (of !== undefined && of === digest(request)) return `${studioId}/${data}/${day}`
      }
      return null
    },
    matches(ifNoneMatch, tag) {
      if (ifNoneMatch === undefined) return false
      if (ifNoneMatch.trim() === '*') return true
      const [wanted] = opaqueTags(tag)
      return opaqueTags(ifNoneMatch).some((opaque) => opaque === wanted)
    },
  }
}

/** The texts between the quotes of a list of entity-tags, weak or strong; what is no entity-tag is left out. */
function opaqueTags(field: string): string[] {
  return [...field.matchAll(/(?:W\/)?"([^"\s]*)"/g)].map(([, opaque]) => opaque ?? '')
}
