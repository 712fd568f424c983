import cors from 'cors'
import type { RequestHandler } from 'express'

/** The response headers that scripts of other origins may read. */
const exposed = [
  ...['X-Request-Id', 'ETag', 'Link', 'Next-Updated-Since', 'X-Total-Count', 'X-Disclaimers', 'Retry-After'],
  ...['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
]

/** The headers without which a browser does not let a script of another origin see an answer, and its headers. */
export const anyOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed.join(','),
} as const

/** How long a browser may remember that it may ask, in seconds: the most that Chromium does. */
const maxAge = 7_200

/**
 * Lets scripts of any origin read what is at some paths and below them, and answers their preflight requests. Without credentials: a browser sends no cookies, and
 * nobody but a script that has a token can use the API. An OPTIONS request that is no preflight is left to what follows.
 */
export function allowAnyOrigin(paths: readonly string[]): RequestHandler {
  const handle = cors({
    origin: '*',
    methods: ['GET', 'HEAD'],
    allowedHeaders: ['Authorization', 'Accept', 'If-None-Match'],
    maxAge,
  })
  return (request, response, next) => {
    if (!paths.some((path) => isBelow(path, request.url))) return next()
    if (request.method !== 'OPTIONS') {
      for (const name in anyOrigin) response.setHeader(name, anyOrigin[name as keyof typeof anyOrigin])
      return next()
    }
    if (request.headers['access-control-request-method'] === undefined) return next()
    handle(request, response, next)
  }
}

function isBelow(path: string, target: string): boolean {
  return target.startsWith(path) && (target.length === path.length || '/?'.includes(target.charAt(path.length)))
}
