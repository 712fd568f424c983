import type { RequestHandler } from 'express'
import { type Assets, loadAssets, sendAsset } from '../../../http/assets.ts'
import type { Problems } from '../../../http/problems.ts'
import { sources } from './assets.ts'
import { setReferenceHeaders } from './headers.ts'
import type { ReferenceOptions } from './options.ts'
import { renderPage } from './page.ts'

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
      setReferenceHeaders(response)
      if (!sendAsset(assets, request, response)) problems.send(response, 'not_found')
    },
  }
}

async function render(options: ReferenceOptions): Promise<{ assets: Assets; page: Buffer }> {
  const assets = await loadAssets(sources)
  return { assets, page: Buffer.from(renderPage(options, `docs/assets/${assets.version}`)) }
}
