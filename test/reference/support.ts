import { renderPage } from '../../src/docs/reference/page.ts'
import type { ReferenceOptions } from '../../src/docs/reference/parts.ts'

const limit = { perSecond: 1, perMinute: 1 }

/** The page of a service, without the service. */
export function pageOf(options: Partial<ReferenceOptions> = {}): string {
  const publicUrl = 'https://api.example.com'
  const rateLimits = { pro: limit, studio: limit, failedPerMinute: 1 }
  const links = { home: '/', docs: '/docs' }
  return renderPage({ publicUrl, docsUrl: `${publicUrl}/docs`, rateLimits, links, ...options }, 'docs/assets/0')
}
