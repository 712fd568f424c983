import type { ServerResponse } from 'node:http'

export const jsonType = 'application/json; charset=utf-8'

/**
 * The headers of every answer, errors and photos included.
 *
 * Serves: "Every response carries `Cache-Control: no-store`."
 */
export const standingHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

export function setStandingHeaders(response: ServerResponse): void {
  for (const name in standingHeaders) response.setHeader(name, standingHeaders[name] ?? '')
}

/** Ends a response with a text, or with its bytes. For HEAD, Node sends the same headers and leaves the body out. */
export function send(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  const body = typeof text === 'string' ? Buffer.from(text) : text
  response.statusCode = status
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', body.length)
  response.end(body)
}
