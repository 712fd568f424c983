import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { type RunningApp, startApp } from '../http/support.ts'

const axeSource = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const desktop = { width: 1280, height: 800 }
export const telephone = { width: 360, height: 740 }

/** A page, and what it did: every request, and every complaint of the browser. */
export type Visit = { page: Page; requests: string[]; complaints: string[] }

/** A page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  const page = await context.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, requests, complaints }
}

export type Site = {
  app: RunningApp
  origin: string
  browser: Browser
  /** Opens a path in a context of its own, which ends with the test. */
  visit(path: string, options?: BrowserContextOptions): Promise<Visit>
  close(): Promise<void>
}

/** The shell has the same engine without the browser's own windows, and takes a quarter of the time for a page. */
const chromiumPath =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? 'chromium'

/** Chromium that finds no other host than this machine. @param localhost which port answers for a
 * port of `localhost`, for pages that are to show another; by default each is itself */
export function launchChromium(localhost: Record<number, number> = {}, options: LaunchOptions = {}): Promise<Browser> {
  const mapped = Object.entries(localhost).map(([shown, port]) => `MAP localhost:${shown} 127.0.0.1:${port}`)
  const rules = [...mapped, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1', ...(mapped.length > 0 ? [] : ['EXCLUDE localhost'])]
  return chromium.launch({
    ...options,
    executablePath: process.env.CHROMIUM_PATH ?? chromiumPath,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
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
    async visit(path, options) {
      const visit = await openPage(browser, options)
      onTestFinished(() => visit.page.context().close())
      await visit.page.goto(`${origin}${path}`)
      return visit
    },
    async close() {
      await browser.close()
      await app.close()
    },
  }
}

/** What axe finds in the page as it is now, one line for each element. Throws when axe looked at
 * next to nothing. */
async function findings(page: Page, least = 20): Promise<string[]> {
  await page.evaluate(axeSource)
  const script = 'axe.run(document).then(({ violations, passes }) => ({ violations, passed: passes.length }))'
  type Found = { violations: { id: string; nodes: { html: string }[] }[]; passed: number }
  const { violations, passed } = await page.evaluate<Found>(script)
  if (passed < least) throw new Error(`axe tried ${passed} rules only`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}

/** The part of the reference that an operation has. */
export function operationOf(page: Page, id: string) {
  const section = page.locator(`section#${id}`)
  return {
    section,
    field: (name: string) => section.locator(`form [name="${name}"]`),
    /** The text of a sample. */
    sample: (language: string) => section.locator(`[data-example="${id} ${language}"]`),
    /** Sends the request of the form, and waits for the answer. */
    async send() {
      await section.getByRole('button', { name: 'Send request' }).click()
      await section.locator('.answer .line').waitFor()
    },
    answer: section.locator('.answer'),
  }
}

/** By how many pixels the content is wider than the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Both widths and both schemes of colours. */
const appearances = [
  { colorScheme: 'light', viewport: telephone },
  { colorScheme: 'dark', viewport: desktop },
] as const

/** Looks at a page as it is now, in both appearances: axe finds nothing, and nothing is wider than
 * the window. SCREENSHOTS_DIR is where pictures go, to be looked at; none are made without it. */
export async function look(page: Page, state: string, least = 10): Promise<void> {
  const pictures = process.env.SCREENSHOTS_DIR
  if (pictures) await mkdir(pictures, { recursive: true })
  for (const { colorScheme, viewport } of appearances) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const appearance = `${state}-${colorScheme}-${viewport.width}`
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const isLight = Math.max(...(ground.match(/\d+/g) ?? []).map(Number)) > 128
    if (pictures) await page.screenshot({ path: join(pictures, `${appearance}.png`), fullPage: true })
    const found = { findings: await findings(page, least), overflow: await overflow(page), isLight }
    const right = { findings: [], overflow: 0, isLight: colorScheme === 'light' }
    expect({ appearance, ...found }).toEqual({ appearance, ...right })
  }
  await page.setViewportSize(desktop)
}
