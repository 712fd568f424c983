import type { ErrorRequestHandler, Response } from 'express'
import { DatabaseUnavailable, ShareExceeded, StatementFailed } from '../database/errors.ts'
import { requestIdOf } from '../http/response.ts'
import { IssuerUnavailable } from '../id-tokens/id-token.ts'
import { requestErrors } from '../log.ts'
import { html } from '../web/html.ts'
import type { Context } from './context.ts'
import { type Locals, notFound, PageError } from './guards.ts'
import { show } from './respond.ts'
import { studioIdOf } from './saved-request.ts'
import { saveRequest } from './session-middleware.ts'

/** Answers an error with a page. Only the log says what caused it. */
export function answerError(context: Context): ErrorRequestHandler {
  const { base, cookies, log } = context
  const logError = requestErrors(log)
  return async (error: unknown, request, response: Response<unknown, Locals>, _next) => {
    if (response.headersSent) return response.destroy()
    if (error instanceof StatementFailed && error.sqlState === 'SI401') {
      await saveRequest(context, request, response, cookies.session.read(request))
      return response.redirect(303, `${base}/sign-in`)
    }
    const page = pageErrorOf(error)
    if (error instanceof StatementFailed && error.sqlState === '42501')
      log.info({ reason: error.message }, 'refused in the console')
    if (page.retryAfterSeconds !== undefined) response.setHeader('Retry-After', page.retryAfterSeconds)
    const requestId = page.status >= 500 ? requestIdOf(response) : undefined
    if (requestId) logError({ request_id: requestId }, error, 'a page of the console failed')
    const studioId = studioIdOf({ path: request.url })
    const studio = response.locals.session?.person.studios.find(({ id }) => id === studioId)
    const { title, message } = page
    // Keeps links to the studio's other pages, and shows the request's id for support.
    const content = html`<h1>${title}</h1>
<p>${message}</p>
${requestId !== undefined && html`<p class="soft">Quote this to support: <code>${requestId}</code></p>`}
<p class="on-screen"><a href="${base}">Back to the console</a></p>`
    show(context, response, page.status, { title, studio, content })
  }
}

function pageErrorOf(error: unknown): PageError {
  if (error instanceof PageError) return error
  if (error instanceof IssuerUnavailable) {
    const why = 'The identity provider cannot be reached at the moment. Please try again shortly.'
    return new PageError(503, 'Not available', why, 2)
  }
  if (error instanceof ShareExceeded) {
    const why = 'Too many pages of this studio are being read at the moment. Please try again shortly.'
    return new PageError(429, 'One moment', why, 1)
  }
  if (error instanceof DatabaseUnavailable) {
    return new PageError(503, 'Not available', 'The service is temporarily unavailable. Please try again shortly.', 2)
  }
  if (error instanceof StatementFailed && error.sqlState === 'SI404') return notFound()
  if (error instanceof StatementFailed && error.sqlState === '42501') {
    return new PageError(403, 'Not allowed', 'Only owners and admins of the studio can do that.')
  }
  // The body parser's errors: too large, wrong type, cut short.
  const status: unknown = Reflect.get(Object(error), 'status')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new PageError(status, 'Not accepted', 'The form could not be read.')
  }
  return new PageError(500, 'Something went wrong', 'An unexpected error occurred.')
}
