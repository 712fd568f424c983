import express, { type RequestHandler, type Response, type Router } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import type { Config } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { SecretKeys } from '../domain/keys.ts'
import type { Logger } from '../log.ts'
import type { PhotoSigner } from '../photos/signer.ts'
import type { Reports } from '../report/reports.ts'
import { html } from '../web/html.ts'
import { baseOf, type GraphqlAddress, linksOf } from '../web/links.ts'
import { loadAssets, sendAsset } from '../web/static.ts'
import { type Analysts, analystHandlers } from './analysts.ts'
import { auditLogHandler } from './audit-log.ts'
import type { Context, SignIns } from './context.ts'
import { type CookieOptions, createFlow, createReveal, makeCookie } from './cookies.ts'
import { answerError } from './errors.ts'
import { createCsrfTokens, csrfField, field, isFrom, originsOf } from './forms.ts'
import { forgedForm, type Locals, notFound, PageError, sessionOf } from './guards.ts'
import type { SignInMethod } from './identity/provider.ts'
import { importHandlers } from './import/handlers.ts'
import type { Imports } from './import/imports.ts'
import { memberHandlers } from './members.ts'
import { managedTabs, type Page, pathOf } from './pages/layout.ts'
import { planHandler } from './plan.ts'
import { providerHandlers } from './provider-sign-in.ts'
import { reportHandlers } from './report.ts'
import { setConsoleHeaders, show, sources } from './respond.ts'
import { createSavedRequests, studioIdOf } from './saved-request.ts'
import { requireSession } from './session-middleware.ts'
import { signInHandlers } from './sign-in.ts'
import { createStore, type Person } from './store.ts'
import { studioHandlers } from './studio/handlers.ts'
import { photoHandler } from './studio/photos.ts'
import { tokenHandlers } from './tokens.ts'

export type ConsoleOptions = {
  config: Pick<Config, 'publicUrl' | 'docsUrl' | 'console' | 'rateLimits'>
  /** The service's secrets, which make the keys of CSRF tokens and sealed cookies. */
  secretKeys: SecretKeys
  pool: Pool
  /** The pool of studio_api, by which members look at their studio. */
  reader: Pool
  photos: PhotoSigner
  method: SignInMethod
  limiter: Limiter
  log: Logger
  signIns?: SignIns | undefined
  /** Makes the reports; undefined: the console offers none. */
  reports?: Reports | undefined
  /** Runs imports; undefined: the console offers none. */
  imports?: Imports | undefined
  /** The address of GraphQL; undefined when off. */
  graphql?: GraphqlAddress | undefined
  /** Manages analysts' logins; undefined: the console offers none. */
  analysts?: Analysts | undefined
}

/** The console: plain forms that work without scripts. PostgreSQL decides what a person may see
 * and do.
 * Serves: "Issuing tokens (in the app, under API tokens settings …)". */
export async function createConsole(options: ConsoleOptions): Promise<Router> {
  const { config, secretKeys, pool, reader, photos, reports, imports, graphql } = options
  const { method, limiter, log, signIns = { signed_in: 0, refused: 0, unavailable: 0 } } = options
  const assets = await loadAssets(sources)
  const base = `${baseOf(config.publicUrl)}/console`
  const cookie = (name: string, options?: CookieOptions) => makeCookie(name, config.publicUrl, options)
  const context: Context = {
    config,
    method,
    limiter,
    log,
    base,
    signIns,
    store: createStore(pool),
    reader,
    csrf: createCsrfTokens(secretKeys),
    reveal: createReveal(secretKeys),
    savedRequests: createSavedRequests(secretKeys, cookie('resume')),
    flow: createFlow(secretKeys, cookie('sign-in', { sameSite: 'lax' })),
    cookies: {
      session: cookie('session'),
      visitor: cookie('visitor'),
      signOut: cookie('sign-out', { path: `${base}/sign-out` }),
      reveal: (tokenId) => cookie(`reveal-${tokenId}`),
    },
    origins: originsOf(config.publicUrl),
    frame: ({ locals }: Response<unknown, Locals>) => ({
      base,
      assets: `${base}/assets/${assets.version}`,
      links: linksOf(config, { console: true, graphql }),
      analysts: options.analysts !== undefined,
      session: locals.session,
    }),
  }
  const signIn = signInHandlers(context)
  const atProvider = providerHandlers(context, secretKeys)
  const tokens = tokenHandlers(context)
  const members = memberHandlers(context)
  const analysts = analystHandlers(context, options.analysts)
  const report = reportHandlers(context, reports)
  const importing = importHandlers(context, imports)
  const studio = studioHandlers(context)

  const router = express.Router({ caseSensitive: true })
  const route = (path: string, get: RequestHandler | undefined, post?: RequestHandler) => {
    const made = router.route(path)
    if (get) made.get(get)
    if (post) made.post(post)
    made.all((_request, response) => {
      response.setHeader('Allow', [get && 'GET, HEAD', post && 'POST'].filter(Boolean).join(', '))
      throw new PageError(405, 'Not possible', 'This page does not support that request method.')
    })
  }

  router.use((_request, response, next) => {
    setConsoleHeaders(response)
    next()
  })
  route('/assets/:version/:file', (request, response) => {
    if (!sendAsset(assets, request, response)) throw notFound()
  })
  router.use(express.urlencoded({ extended: false, limit: '32kb', parameterLimit: 20 }))
  route('/sign-in', signIn.page)
  route('/sign-in/start{/:provider}', atProvider.start)
  route('/sign-in/callback{/:provider}', atProvider.callback)
  route('/sign-in/demo', undefined, signIn.asDemoPerson)

  router.use(requireSession(context))
  // Reads the form, and so the CSRF token in it. Only people who may import can send a form this
  // large.
  router.post(['/studios/:studio/import', '/studios/:studio/import/:upload/reading'], importing.receive)
  router.use(requireCsrfToken(context))
  route('/sign-out', undefined, atProvider.out)
  route('/', home(context))
  route('/studios/:studio/overview', studio.overview)
  route('/studios/:studio/items', studio.items)
  route('/studios/:studio/items.csv', studio.itemsCsv)
  route('/studios/:studio/items/:item', studio.item)
  route('/studios/:studio/policies', studio.policies)
  route('/studios/:studio/policies/:policy', studio.policy)
  route('/studios/:studio/maintenance', studio.maintenance)
  route('/studios/:studio/photos/:photo/:size', photoHandler(context, photos))
  route('/studios/:studio/tokens', tokens.list, tokens.create)
  route('/studios/:studio/tokens/new', tokens.form)
  route('/studios/:studio/tokens/:token', tokens.one)
  route('/studios/:studio/tokens/:token/created', tokens.created)
  route('/studios/:studio/tokens/:token/revoke', tokens.askToRevoke, tokens.revoke)
  route('/studios/:studio/members', members.list, members.add)
  route('/studios/:studio/members/:member', members.one, members.changeRole)
  route('/studios/:studio/members/:member/remove', members.askToRemove, members.remove)
  route('/studios/:studio/analysts', analysts.list, analysts.create)
  route('/studios/:studio/analysts/new', analysts.form)
  route('/studios/:studio/analysts/:login/created', analysts.created)
  route('/studios/:studio/analysts/:login/end', analysts.askToEnd, analysts.end)
  route('/studios/:studio/plan', planHandler(context))
  route('/studios/:studio/audit-log', auditLogHandler(context))
  route('/studios/:studio/import', importing.page, importing.upload)
  route('/studios/:studio/import/templates/:file', importing.template)
  route('/studios/:studio/import/:upload', importing.preview, importing.confirm)
  route('/studios/:studio/import/:upload/reading', importing.backToPreview, importing.reading)
  route('/studios/:studio/report', report.page, report.file)
  router.use(() => {
    throw notFound()
  })
  router.use(answerError(context))
  return router
}

/** GET /: the page before the sign-in, the studio's overview, or a choice of studios. */
function home(context: Context): RequestHandler {
  const { base, savedRequests } = context
  return async (request, response: Response<unknown, Locals>) => {
    const { person } = sessionOf(response)
    const kept = await savedRequests.read(request)
    const before = kept && person.studios.find(({ id }) => id === studioIdOf(kept))
    const draft = before?.publicApi && before.mayManage ? kept?.draft : undefined
    // The page with the form reads the draft itself.
    if (kept !== null && draft === undefined) savedRequests.clear(response)
    if (before) return response.redirect(303, `${base}${kept?.path}`)
    const [studio, ...others] = person.studios
    if (studio !== undefined && others.length === 0) response.redirect(303, `${pathOf(base, studio)}/overview`)
    else show(context, response, 200, studiosPage(base, person))
  }
}

/** A form needs this session's CSRF token, and must come from a page of this console. */
function requireCsrfToken({ origins, cookies, csrf }: Context): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    const verified = csrf.verify(cookies.session.read(request) ?? '', field(request, csrfField))
    if (!verified || !isFrom(origins, request)) throw forgedForm()
    next()
  }
}

const roleWords: Readonly<Record<string, string>> = { owner: 'an owner', admin: 'an admin', member: 'a member' }

/** A person's studios, if they have several or none. */
function studiosPage(base: string, { studios }: Person): Page {
  return {
    title: 'Studios',
    content: html`<h1>Studios</h1>
${studios.length === 0 && html`<p>You are not a member of any studio.</p>`}
<ul class="cards">
${studios.map(
  (studio) =>
    html`<li><h2><a href="${pathOf(base, studio)}/overview">${studio.name}</a></h2><p class="soft">You are ${roleWords[studio.role]}.</p>${studio.mayManage && html`<p class="choices">${Object.entries(managedTabs).map(([path, label]) => html`<a href="${pathOf(base, studio)}/${path}">${label}<span class="spoken"> of ${studio.name}</span></a> `)}</p>`}</li>`,
)}
</ul>`,
  }
}
