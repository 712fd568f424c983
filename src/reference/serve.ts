import type { RequestHandler } from 'express'
import type { Problems } from '../http/problems.ts'
import { type Assets, loadAssets } from './assets.ts'
import { setReferenceHeaders } from './headers.ts'
import { type ReferenceOptions, renderPage } from './page.ts'

const keepForever = 'public, max-age=31536000, immutable'

export type Reference = {
  /** `/docs` */
  page: RequestHandler
  /** `/docs/`: addresses in the page are relative to its parent, so that a proxy may put a path before all of them. */
  slash: RequestHandler
  /** `/docs/assets/:version/:file` */
  asset: RequestHandler
}

/** Makes the handlers of the reference page. It is rendered at the first request, once. */
export function serveReference(options: ReferenceOptions, problems: Problems): Reference {
  let loading: Promise<{ assets: Assets; page: Buffer }> | undefined
  const load = () => {
    loading ??= render(options).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    async page(_request, response) {
      const { page } = await load()
      setReferenceHeaders(response)
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.setHeader('Content-Length', page.length)
      response.end(page)
    },
    slash(_request, response) {
      response.statusCode = 308
      response.setHeader('Location', '../docs')
      response.end()
    },
    async asset(request, response) {
      const { assets } = await load()
      const file = assets.files.get(String(request.params.file))
      if (file === undefined) return problems.send(response, 'not_found')
      const { type, plain, gzipped } = file
      const zipped = gzipped.length < plain.length && request.acceptsEncodings('gzip') === 'gzip'
      const body = zipped ? gzipped : plain
      setReferenceHeaders(response)
      // While a new release is rolled out, the page of one process asks another for its files: it gets them, but keeps none.
      if (request.params.version === assets.version) response.setHeader('Cache-Control', keepForever)
      if (zipped) response.setHeader('Content-Encoding', 'gzip')
      response.setHeader('Vary', 'Accept-Encoding')
      response.setHeader('Content-Type', type)
      response.setHeader('Content-Length', body.length)
      response.end(body)
    },
  }
}

async function render(options: ReferenceOptions): Promise<{ assets: Assets; page: Buffer }> {
  const assets = await loadAssets()
  return { assets, page: Buffer.from(renderPage(options, `docs/assets/${assets.version}`)) }
}
