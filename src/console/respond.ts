import type { Response } from 'express'
import { send } from '../http/response.ts'
import { type Sources, stylesheet } from '../web/static.ts'
import type { Context } from './context.ts'
import { type Page, renderPage } from './pages/layout.ts'

/** Pages load only this service's files and send forms only here, so unescaped text could do
 * nothing. Under `no-referrer`, browsers would not send Origin with forms. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export function setConsoleHeaders(response: Response): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
}

export function show(context: Context, response: Response, status: number, page: Page): void {
  send(response, status, 'text/html; charset=utf-8', renderPage(context.frame(response), page))
}

const here = (path: string) => new URL(path, import.meta.url)

/** The files of the console's pages. */
export const sources: Sources = {
  'console.css': stylesheet(
    ...['code', 'console', 'boxes', 'forms', 'tables', 'lists', 'charts', 'studio', 'console-print'],
  ),
  'console.js': [here('browser/console.js')],
  'icon.svg': [here('../web/styles/icon.svg')],
}
