import type { ServerResponse } from 'node:http'

/**
 * The headers of a page that asks this service, and of its files: nothing is loaded from, sent to or framed by another origin, and no script or style is
 * in the markup. The token that somebody pastes has nowhere to go but to this service.
 */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export function setPageHeaders(response: ServerResponse): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
}
