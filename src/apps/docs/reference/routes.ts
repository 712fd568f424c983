import type { RequestHandler } from 'express'
import { type Assets, loadAssets, sendAsset } from '../../../http/assets.ts'
import { type Body, createBody, sendCompressed, varyByEncoding } from '../../../http/compression.ts'
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
  let loading: Promise<{ assets: Assets; page: Body }> | undefined
  const load = () => {
    loading ??= render(options).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    async page(request, response) {
      const { page } = await load()
      setReferenceHeaders(response)
      varyByEncoding(response)
      await sendCompressed(request, response, 200, 'text/html; charset=utf-8', page)
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

async function render(options: ReferenceOptions): Promise<{ assets: Assets; page: Body }> {
  const assets = await loadAssets(sources)
  return { assets, page: createBody(renderPage(options, `docs/assets/${assets.version}`)) }
}
