import type { RequestHandler } from 'express'
import { loadAssets, prepareText, sendAsset, sendIcon, sendStaticText } from '../../../http/static.ts'
import { setPageHeaders } from '../../page-headers.ts'
import { sendRefusal } from '../responses.ts'
import { sources } from './assets.ts'
import { type DemoPerson, giveDemoIdentity } from './demo-identity.ts'
import { type PageOptions, renderPage } from './page.ts'

/** The page, with what it needs of the service. */
export type GraphqlPageOptions = PageOptions & { publicUrl: string; demo: DemoPerson | undefined }

export type GraphqlPage = {
  /** `/` */
  page: RequestHandler
  /** `/assets/:version/:file` */
  asset: RequestHandler
  /** `/favicon.ico` */
  icon: RequestHandler
  /** `POST /demo-identity`; only in the demo. */
  demoIdentity: RequestHandler | undefined
}

/** Makes the handlers of the page to write queries in. It has nothing of anybody's data, and does nothing without an identity. */
export async function servePage(options: GraphqlPageOptions, secretKey: string): Promise<GraphqlPage> {
  const assets = await loadAssets(sources)
  const page = prepareText('text/html; charset=utf-8', renderPage(options, `assets/${assets.version}`))
  const { demo, publicUrl } = options
  return {
    async page(request, response) {
      setPageHeaders(response)
      await sendStaticText(request, response, page)
    },
    asset(request, response) {
      setPageHeaders(response)
      if (!sendAsset(assets, request, response)) sendRefusal(response, 'not_found')
    },
    icon: (_request, response) => sendIcon(assets, response),
    demoIdentity: demo && giveDemoIdentity(demo, secretKey, publicUrl),
  }
}
