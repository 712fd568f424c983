import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { ruruHTML } from 'postgraphile/grafserv/ruru/server'
import { getStaticFile } from 'postgraphile/grafserv/ruru/static'
import { send } from '../../http/response.ts'
import { siteHeader } from '../header.ts'
import type { Places } from '../places.ts'

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
 * The query page, below the header of all pages. Loaded only in demo mode.
 *
 * Serves: "The IDE page is served in demo mode, off otherwise."
 */
export async function serveIde(
  places: Places,
): Promise<{ page: RequestHandler; file: RequestHandler; filePath: string }> {
  const [colours, header, icon] = await Promise.all(
    ['colours.css', 'header.css', 'icon.svg'].map((file) => readFile(new URL(`../styles/${file}`, import.meta.url))),
  )
  const iconUrl = `data:image/svg+xml;base64,${icon?.toString('base64')}`
  const html = ruruHTML({
    endpoint: '/graphql',
    staticPath,
    htmlParts: {
      titleTag: '<title>GraphQL · Studio Inventory</title>',
      metaTags: (tags) =>
        `${tags}<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="${iconUrl}">`,
      styleTags: (tags) => `${tags}<style>${colours}${header}${frame}</style>`,
      bodyContent: (content) => `${siteHeader(places, 'graphql', iconUrl)}${content}`,
    },
  })
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

/** The header above the editor, which takes what is left of the window. */
const frame = `
body { display: flex; flex-direction: column; height: 100vh; margin: 0; }
body > .site { box-sizing: border-box; flex: none; padding-inline: 1rem; }
body > #ruru-root { flex: 1; height: auto; min-height: 0; }
`
