import type { RequestHandler } from 'express'
import type { Problems } from '../../../http/problems.ts'
import { setPageHeaders } from '../../page-headers.ts'
import { type Beside, type Places, placesOf } from '../../places.ts'
import { type Assets, loadAssets, prepareText, type StaticText, sendAsset, sendStaticText } from '../../static.ts'
import { sources } from './assets.ts'
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

type Options = Omit<ReferenceOptions, 'places'>

/**
 * Makes the handlers of the reference page. It is rendered at the first request, and again when there are other pages to link to.
 *
 * @param beside what else is on at this moment
 */
export function serveReference(options: Options, beside: () => Beside, problems: Problems): Reference {
  let loading: Promise<Assets> | undefined
  const load = () => {
    loading ??= loadAssets(sources).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  let rendered: { places: string; page: StaticText } | undefined
  const pageFor = (places: Places, { version }: Assets) => {
    const key = JSON.stringify(places)
    if (rendered?.places !== key) {
      const text = renderPage({ ...options, places }, `docs/assets/${version}`)
      rendered = { places: key, page: prepareText('text/html; charset=utf-8', text) }
    }
    return rendered.page
  }

  return {
    async page(request, response) {
      const assets = await load()
      setPageHeaders(response)
      await sendStaticText(request, response, pageFor(placesOf(options, beside()), assets))
    },
    slash(_request, response) {
      response.statusCode = 308
      response.setHeader('Location', '../docs')
      response.end()
    },
    async asset(request, response) {
      const assets = await load()
      setPageHeaders(response)
      if (!sendAsset(assets, request, response)) problems.send(response, 'not_found')
    },
  }
}
