import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { runCli, startCli } from '../cli/run.ts'
import { launchChromium, openPage, type Visit } from './support.ts'

/** The people of the demo that the tests play. */
export const people = { owner: 'Imogen Hart', admin: 'Tomás Reyes' } as const

/** A studio's first spreadsheet: 200 rows, headers and formats of its own, and no key. */
export function ownSpreadsheet(): string {
  const gear = ['Neumann U 87 Ai', 'Shure SM58', 'Roland Space Echo RE-201', 'Fender Twin Reverb', 'Yamaha NS-10M']
  const kinds = ['Mics', 'Mics', 'Effects', 'Amps', 'Speakers']
  const rows = Array.from({ length: 200 }, (_, at) => {
    const bought = `${String((at % 28) + 1).padStart(2, '0')}/${String((at % 12) + 1).padStart(2, '0')}/${1998 + (at % 27)}`
    const price = `"${(1 + (at % 9)).toString()},${String(100 + at)}.50"`
    return [
      gear[at % 5],
      `SN-${7000 + at}`,
      kinds[at % 5],
      bought,
      price,
      ['Live room', 'Store'][at % 2],
      900,
      'ok',
    ].join()
  })
  return `Item,Serial No.,Type,Bought,Price (GBP),Room,Value,Condition\n${rows.join('\n')}\n`
}

/** The service as `npm start` runs it, with its embedded demo, and Chromium before it. */
export type Demo = {
  origin: string
  /** The same without Chromium's names. */
  local: string
  browser: Browser
  /** What the service wrote, its log included. */
  log(): string
  /** Runs a command on the same database. */
  cli(...args: string[]): ReturnType<typeof runCli>
  /** A page in a context of its own, and every address that it asked for. */
  open(options?: BrowserContextOptions): Promise<Visit>
  /** The same, signed in as somebody, at the API tokens. */
  as(who: keyof typeof people, options?: BrowserContextOptions): ReturnType<Demo['open']>
  close(): Promise<void>
}

/**
 * @param shown the port of `localhost` that pages show, GraphQL's is the next; by default the real one, any that is free
 * @param more variables besides, for the address at which pages are opened
 */
export async function openDemo(
  shown?: number,
  more: (origin: string) => Promise<Record<string, string>> = async () => ({}),
): Promise<Demo> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-console-'))
  await chmod(folder, 0o755) // as root the server runs as another user, who has to get in
  const port = await findPort('127.0.0.1', 0)
  const origin = `http://localhost:${shown ?? port}`
  const env = {
    ...(await more(origin)),
    DATA_DIR: folder,
    PORT: String(port),
    RATE_LIMITS: 'sign_ins=1000,new_tokens=1000',
    ...(shown && { PUBLIC_URL: `http://localhost:${shown}`, GRAPHQL_PUBLIC_URL: `http://localhost:${shown + 1}` }),
  }
  const service = startCli(['serve'], env)
  const gone = service.ended.then(({ stderr }) => {
    throw new Error(`the service ended: ${stderr}`)
  })
  gone.catch(() => undefined)
  const greeted = () => /demo\.json\.\n/.test(service.output())
  await Promise.race([vi.waitUntil(greeted, { timeout: 60_000, interval: 20 }), gone])
  const browser = await launchChromium(shown ? { [shown]: port, [shown + 1]: port + 1 } : {})

  const open: Demo['open'] = (options) => openPage(browser, options)
  return {
    origin,
    local: `http://127.0.0.1:${port}`,
    browser,
    log: service.output,
    cli: (...args) => runCli(args, env),
    open,
    async as(who, options) {
      const opened = await open(options)
      await opened.page.goto(`${origin}/console`)
      await opened.page.getByRole('button', { name: people[who] }).click()
      await opened.page.getByRole('link', { name: 'API tokens' }).click()
      await opened.page.waitForURL(/\/tokens$/)
      return opened
    },
    async close() {
      await browser.close()
      service.child.kill('SIGTERM')
      await service.ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a token from a page of tokens and reads it where it is shown. */
export async function createToken(page: Page, name: string, scope?: string): Promise<string> {
  if (!page.url().endsWith('/new')) {
    await page.getByRole('link', { name: 'API tokens' }).click()
    await page.getByRole('link', { name: 'New token' }).click()
  }
  await page.getByLabel('Name').fill(name)
  if (scope !== undefined) await page.getByLabel('Scope to team member').selectOption({ label: scope })
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.waitForURL(/\/created$/)
  return page.locator('#token').innerText()
}

/** On the page of GraphQL: runs the query that is there. The button does nothing before Ruru has
 * made its editors. */
export async function runQuery(page: Page): Promise<void> {
  const answer = page.locator('.graphiql-response').getByText('"Northlight')
  await vi.waitFor(
    async () => {
      await page.getByRole('button', { name: 'Execute query' }).click({ timeout: 5_000 })
      await answer.waitFor({ timeout: 5_000 })
    },
    { timeout: 60_000, interval: 0 },
  )
}

/** The row of a token in the list. */
export function cardOf(page: Page, name: string) {
  return page.getByRole('row').filter({ hasText: name })
}
