import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Site } from './support.ts'

/** A first visit to a page: what it transferred, headers included, and when its forms worked. */
export type Load = { bytes: number; files: number; usableMs: number }

type How = {
  slow?: boolean
  /** What is there when the forms work, where scripts draw them; by default they work by DOMContentLoaded, when our scripts have run. */
  drawn?: string | undefined
  /** Who is signed in. */
  as?: BrowserContextOptions['storageState'] | undefined
}

function loadOf(page: Page): Promise<Load> {
  return page.evaluate<Load>(`(() => {
    const [page] = performance.getEntriesByType('navigation')
    const all = [page, ...performance.getEntriesByType('resource')]
    const bytes = all.reduce((sum, { transferSize }) => sum + transferSize, 0)
    return { bytes, files: all.length, usableMs: Math.round(globalThis.drawnAt ?? page.domContentLoadedEventEnd) }
  })()`)
}

/** Bits a second and milliseconds, of a slow connection. */
const slowly = { bits: 1_600_000, latency: 150 }

/** Writes down when something is drawn. */
const watchFor = (selector: string) => `new MutationObserver((_changes, observer) => {
  if (!document.querySelector(${JSON.stringify(selector)})) return
  globalThis.drawnAt = performance.now()
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

/** Visits a page with an empty cache. */
export async function firstVisit(
  site: Pick<Site, 'browser' | 'origin'>,
  path: string,
  { slow = false, drawn, as }: How = {},
): Promise<Load> {
  const context = await site.browser.newContext(as === undefined ? {} : { storageState: as })
  const page = await context.newPage()
  if (drawn !== undefined) await page.addInitScript(watchFor(drawn))
  if (slow) {
    const client = await context.newCDPSession(page)
    const throughput = slowly.bits / 8
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slowly.latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    })
  }
  await page.goto(new URL(path, site.origin).href, { waitUntil: 'networkidle', timeout: 60_000 })
  if (drawn !== undefined) await page.locator(drawn).first().waitFor({ state: 'attached', timeout: 60_000 })
  const load = await loadOf(page)
  await context.close()
  return load
}
