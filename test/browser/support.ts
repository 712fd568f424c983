import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type RunningApp, startApp } from '../http/support.ts'

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const desktop = { width: 1280, height: 800 }
export const telephone = { width: 360, height: 740 }

/** A page at work, and what it did: every request, and whatever it complained of. */
export type Visit = {
  page: Page
  requests: string[]
  complaints: string[]
  close(): Promise<void>
}

export type Site = {
  app: RunningApp
  origin: string
  browser: Browser
  /** Opens a path in a context of its own. By default it waits until the interactive part is there. */
  visit(
    path: string,
    options?: BrowserContextOptions & { wait?: boolean; delayMs?: number; broken?: boolean },
  ): Promise<Visit>
  close(): Promise<void>
}

/**
 * Chromium that finds no other host than this machine.
 * @param localhost which port answers for a port of `localhost`, for pages that are to show another; by default each is itself
 */
export function launchChromium(localhost: Record<number, number> = {}): Promise<Browser> {
  const mapped = Object.entries(localhost).map(([shown, port]) => `MAP localhost:${shown} 127.0.0.1:${port}`)
  const rules = [...mapped, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', ...(mapped.length > 0 ? [] : ['EXCLUDE localhost'])]
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=${rules.join(', ')}`,
    ],
  })
}

/** The app on a port of its own, and Chromium that finds no other host. */
export async function openSite(options?: Parameters<typeof startApp>[0]): Promise<Site> {
  const app = await startApp(options)
  const origin = `http://127.0.0.1:${app.port}`
  const browser = await launchChromium()
  return {
    app,
    origin,
    browser,
    async visit(path, { wait = true, delayMs = 0, broken = false, ...options } = {}) {
      const context = await browser.newContext({ viewport: desktop, ...options })
      const page = await context.newPage()
      const requests: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.route(`${origin}/openapi.json`, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        if (broken) await route.fulfill({ status: 500, body: '' })
        else await route.continue()
      })
      await page.goto(`${origin}${path}`)
      if (wait) await page.waitForSelector('.operation')
      return { page, requests, complaints, close: () => context.close() }
    },
    async close() {
      await browser.close()
      await app.close()
    },
  }
}

/** What axe finds in the page as it is now, one line for each element. Throws when axe looked at next to nothing. */
export async function findings(page: Page, least = 20): Promise<string[]> {
  await page.evaluate(axeSource)
  const script = 'axe.run(document).then(({ violations, passes }) => ({ violations, passed: passes.length }))'
  type Found = { violations: { id: string; nodes: { html: string }[] }[]; passed: number }
  const { violations, passed } = await page.evaluate<Found>(script)
  if (passed < least) throw new Error(`axe tried ${passed} rules only`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}

/** Unfolds every operation, and of the first one all that there is: its answer, its errors, their schemas. */
export async function unfold(page: Page): Promise<void> {
  for (const button of await page.locator('.operation button').all()) await button.click()
  const first = page.locator('.opblock').first()
  await first.locator('button.send').click()
  await first.locator('.live-responses-table').waitFor()
  for (const summary of await first.locator('summary').all()) await summary.click()
  for (const tab of await first.locator('[data-name=model]').all()) await tab.click()
  await first.locator('.json-schema-2020-12').last().waitFor()
}

/** By how many pixels the content is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Distance of an element from the top of the window, and the height of the window. */
export function placeOf(page: Page, id: string): Promise<{ top: number; height: number }> {
  return page.evaluate<{ top: number; height: number }>(
    `({ top: document.getElementById('${id}').getBoundingClientRect().top, height: innerHeight })`,
  )
}
