import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoPeople } from '../../src/demo/studios.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { type Demo, openDemo } from './demo.ts'
import { launchChromium, look } from './support.ts'

let provider: IdentityProvider
let demo: Demo
beforeAll(async () => {
  // The console is at localhost, providers at 127.0.0.1: another site, whose redirects bring no
  // SameSite=Strict cookie.
  demo = await openDemo(undefined, async (publicUrl) => {
    const accounts = [...demoPeople(), { email: 'nobody@example.com', name: 'Nobody Here' }]
    provider = await startIdentityProvider({ accounts, publicUrl })
    return {
      PUBLIC_URL: publicUrl,
      CONSOLE_ISSUER: provider.issuer,
      CONSOLE_ISSUER_NAME: 'Test provider',
      CONSOLE_CLIENT_ID: provider.clientId,
      CONSOLE_CLIENT_SECRET: provider.clientSecret,
      CONSOLE_ISSUER_2: 'http://127.0.0.1:1',
      CONSOLE_ISSUER_NAME_2: 'Provider that is down',
      CONSOLE_CLIENT_ID_2: 'studio-inventory',
    }
  })
})
afterAll(async () => {
  await demo?.close()
  await provider?.close()
})

/** Begins a sign-in: the provider's page asks who it is. */
async function begin(page: Page): Promise<void> {
  await page.goto(`${demo.origin}/console/sign-in`)
  await page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${demo.origin}/console/sign-in`)
}

async function isSignedIn(page: Page): Promise<boolean> {
  const cookies = await page.context().cookies(demo.origin)
  return cookies.some(({ name }) => name.endsWith('-session'))
}

it('somebody signs in at a real provider on another site, comes to the page that they wanted, and signs out of both', async () => {
  const { page, complaints } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await page.getByText('Provider that is down cannot be reached at the moment.').waitFor()
  await look(page, 'sign-in-providers')
  await begin(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/overview$/)
  const log = page.url().replace(/overview$/, 'audit-log')
  await signOut(page)
  expect(await isSignedIn(page)).toBe(false)

  await page.goto(log)
  await begin(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(log)
  expect(await page.getByRole('heading', { name: 'Audit log' }).count()).toBe(1)
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
})

it('a person who cancels, or is unknown, reads why', async () => {
  const { page } = await demo.open()
  await begin(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The sign-in was cancelled').waitFor()
  await look(page, 'sign-in-cancelled')
  await begin(page)
  await page.getByRole('button', { name: 'Nobody Here' }).click()
  await page.getByRole('heading', { name: 'You have no access here yet' }).waitFor()
})

it('of two sign-ins that were begun in two tabs the last one counts, and both tabs are signed in by it', async () => {
  const { page: one } = await demo.open()
  await begin(one)
  const other = await one.context().newPage()
  await begin(other)
  await one.getByRole('button', { name: 'Priya Nair' }).click()
  await one.getByText('You could not be signed in. Please sign in again.').waitFor()
  expect(await isSignedIn(one)).toBe(false)
  await other.getByRole('button', { name: 'Imogen Hart' }).click()
  await other.waitForURL(/\/overview$/)
  await one.goto(`${demo.origin}/console`)
  await one.waitForURL(/\/overview$/)
  expect(await one.locator('.person').innerText()).toBe('Imogen Hart')
})

it('after a sign-out the way back leads to no page of the console, also where the browser keeps pages as they were', async () => {
  const browser = await launchChromium({}, { ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  const context = await browser.newContext()
  const page = await context.newPage()
  await begin(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/overview$/)
  await signOut(page)

  await page.evaluate('document.title = "Left"')
  const client = await context.newCDPSession(page)
  const { entries } = await client.send('Page.getNavigationHistory')
  const tokens = entries.findLast(({ url }) => url.endsWith('/overview'))
  await client.send('Page.navigateToHistoryEntry', { entryId: tokens?.id ?? -1 })
  const title = async () => page.evaluate<string>('document.title + " at " + location.pathname').catch(() => '')
  await expect.poll(title, { timeout: 30_000 }).toBe('Sign in · Studio Inventory at /console/sign-in')
  await browser.close()
})
