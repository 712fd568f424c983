import type { Page } from 'playwright-core'
import type { Site } from './support.ts'

/** A first visit to a page: what it transferred, headers included, and when its forms worked. */
export type Load = { bytes: number; files: number; usableMs: number }

/** Scripts have run by DOMContentLoaded. */
function loadOf(page: Page): Promise<Load> {
  return page.evaluate<Load>(`(() => {
    const [page] = performance.getEntriesByType('navigation')
    const all = [page, ...performance.getEntriesByType('resource')]
    const bytes = all.reduce((sum, { transferSize }) => sum + transferSize, 0)
    return { bytes, files: all.length, usableMs: Math.round(page.domContentLoadedEventEnd) }
  })()`)
}

/** Bits a second and milliseconds, of a slow connection. */
const slow = { bits: 1_600_000, latency: 150 }

/** Visits a page with an empty cache. */
export async function firstVisit(site: Pick<Site, 'browser' | 'origin'>, path: string, isSlow = false): Promise<Load> {
  const context = await site.browser.newContext()
  const page = await context.newPage()
  if (isSlow) {
    const client = await context.newCDPSession(page)
    const throughput = slow.bits / 8
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slow.latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    })
  }
  await page.goto(new URL(path, site.origin).href, { waitUntil: 'networkidle' })
  const load = await loadOf(page)
  await context.close()
  return load
}
