import type { RequestHandler } from 'express'
import { stringify } from 'yaml'
import type { Problems } from '../http/problems.ts'
import { jsonType } from '../http/response.ts'
import { isOwnHost } from '../web/links.ts'
import {
  type Assets,
  loadOnce,
  prepareText,
  type Sources,
  type StaticText,
  sendAsset,
  sendStaticText,
  setPageHeaders,
  stylesheet,
} from '../web/static.ts'
import { describeApi, type OpenApiDocument } from './openapi/document.ts'
import type { DescriptionOptions } from './openapi/information.ts'
import { renderPage } from './reference/page.ts'
import type { ReferenceOptions } from './reference/parts.ts'

/** RFC 9512 registers this type. Its text is always UTF-8. */
const yamlType = 'application/yaml'

/** The document as YAML. Quotes dates, which YAML 1.1 would not read as text. */
export function yamlOf(document: OpenApiDocument): string {
  return stringify(document, {
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    compat: 'yaml-1.1',
    lineWidth: 120,
  })
}

/** The handlers of `/openapi.json` and `/openapi.yaml`. The first request makes the document. */
export function serveDescription(options: DescriptionOptions): { json: RequestHandler; yaml: RequestHandler } {
  const document = once(() => describeApi(options))
  const json = once(() => prepareText(jsonType, JSON.stringify(document())))
  const yaml = once(() => prepareText(yamlType, yamlOf(document())))
  return { json: sending(json), yaml: sending(yaml) }
}

function sending(made: () => StaticText): RequestHandler {
  return (request, response) => sendStaticText(request, response, made())
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

type Reference = {
  page: RequestHandler
  /** `/docs/`. Addresses are relative to its parent, so a proxy may add a prefix. */
  slash: RequestHandler
  /** `/docs/assets/:version/:file` */
  asset: RequestHandler
}

/** Finds the token of the demo; null: there is none. */
export type DemoReader = () => Promise<NonNullable<ReferenceOptions['demo']> | null>

/** Makes the handlers of the reference page. The first request renders it, and again when the
 * token of the demo changes.
 * @param demo gives the page a token, where everybody may use it */
export function serveReference(options: ReferenceOptions, problems: Problems, demo?: DemoReader): Reference {
  const load = loadOnce(sources)
  // Storing in the same turn of the event loop lets no second request render the page meanwhile.
  const rendered = new Map<string, StaticText>()
  const render = ({ version }: Assets, shown: ReferenceOptions['demo']) => {
    const name = shown?.token ?? ''
    const text =
      rendered.get(name) ??
      prepareText('text/html; charset=utf-8', renderPage({ ...options, demo: shown }, `docs/assets/${version}`))
    rendered.set(name, text)
    return text
  }

  return {
    async page(request, response) {
      const assets = await load()
      setPageHeaders(response)
      const own = demo !== undefined && isOwnHost(options.publicUrl, request.headers.host)
      const shown = (own && (await demo().catch(() => null))) || undefined
      await sendStaticText(request, response, render(assets, shown))
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

const here = (path: string) => new URL(path, import.meta.url)
const script = (name: string) => [here(`reference/browser/${name}.js`)]

/** The files, each a concatenation of its parts. */
export const sources: Sources = {
  'docs.css': stylesheet('code', 'fields', 'reference', 'contents', 'operation', 'reference-print'),
  'icon.svg': [here('../web/styles/icon.svg')],
  'token.js': script('token'),
  'try.js': script('try'),
  'json.js': script('json'),
  'search.js': script('search'),
  'contents.js': script('contents'),
  'languages.js': script('languages'),
  'colours.js': script('colours'),
  'copy.js': [here('../web/browser/copy.js')],
}
