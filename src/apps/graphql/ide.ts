import type { RequestHandler } from 'express'
import { ruruHTML } from 'postgraphile/grafserv/ruru/server'
import { getStaticFile } from 'postgraphile/grafserv/ruru/static'
import { send } from '../../http/response.ts'

const staticPath = '/ruru/'

/** Everything comes from this process; the page consists of inline scripts and styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The query page. Loaded only in demo mode.
 *
 * Serves: "The IDE page is served in demo mode, off otherwise."
 */
export function serveIde(): { page: RequestHandler; file: RequestHandler; filePath: string } {
  const html = ruruHTML({ endpoint: '/graphql', staticPath })
  return {
    page: (_request, response) => {
      response.setHeader('Content-Security-Policy', policy)
      response.setHeader('Referrer-Policy', 'no-referrer')
      send(response, 200, 'text/html; charset=utf-8', html)
    },
    file: async (request, response, next) => {
      const file = await getStaticFile({
        staticPath,
        urlPath: request.path,
        acceptEncoding: request.headers['accept-encoding'],
        disallowDevAssets: true,
      })
      if (file === null) return next()
      response.writeHead(200, file.headers)
      response.end(file.content)
    },
    filePath: `${staticPath}{*file}`,
  }
}
