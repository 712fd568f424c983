import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoPeople } from '../../src/demo/studios.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { type Demo, openDemo } from './demo.ts'
import { launchChromium, look } from './support.ts'

let [first, second]: IdentityProvider[] = []
let demo: Demo
beforeAll(async () => {
  // The console is at localhost, providers at 127.0.0.1: another site, whose redirects bring no
  // SameSite=Strict cookie.
  demo = await openDemo(undefined, async (publicUrl) => {
    const accounts = [...demoPeople(), { email: 'nobody@example.com', name: 'Nobody Here' }]
    first = await startIdentityProvider({ accounts, publicUrl })
    second = await startIdentityProvider({ accounts, publicUrl, number: 2 })
    return {
      PUBLIC_URL: publicUrl,
      CONSOLE_ISSUER: first.issuer,
      CONSOLE_ISSUER_NAME: 'First',
      CONSOLE_CLIENT_ID: first.clientId,
      CONSOLE_CLIENT_SECRET: first.clientSecret,
      CONSOLE_ISSUER_2: second.issuer,
      CONSOLE_ISSUER_NAME_2: 'Second',
      CONSOLE_CLIENT_ID_2: second.clientId,
      CONSOLE_CLIENT_SECRET_2: second.clientSecret,
      CONSOLE_ISSUER_3: 'http://127.0.0.1:1',
      CONSOLE_ISSUER_NAME_3: 'Provider that is down',
      CONSOLE_CLIENT_ID_3: 'studio-inventory',
    }
  })
})
afterAll(async () => {
  await demo?.close()
  await Promise.all([first, second].map((provider) => provider?.close()))
})

/** Begins a sign-in: the page asks who somebody is. */
async function begin(page: Page): Promise<void> {
  await page.goto(`${demo.origin}/console/sign-in`)
  await page.getByRole('link', { name: 'Sign in with First' }).click()
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${demo.origin}/console/sign-in`)
}

/** Finishes the sign-in at the provider. Returns the unused callback address; the console's
 * cookies are gone. */
async function answerFor(page: Page, name: string): Promise<URL> {
  const cookies = await page.context().cookies(demo.origin)
  await page.context().clearCookies({ domain: 'localhost' })
  await page.getByRole('button', { name }).click()
  await page.waitForURL(/\/callback\?/)
  await page.context().addCookies(cookies)
  return new URL(page.url())
}

/** Follows a link on a page of another site; the status of where it leads. */
async function follow(page: Page, address: URL): Promise<number> {
  await page.goto(`${first?.issuer}/.well-known/openid-configuration`)
  await page.setContent(`<a href="${address.href.replaceAll('&', '&amp;')}">Look</a>`)
  const isAnswer = (response: Response) => response.url().startsWith(`${demo.origin}/console/sign-in/callback`)
  const [answer] = await Promise.all([page.waitForResponse(isAnswer), page.getByRole('link', { name: 'Look' }).click()])
  return answer.status()
}

async function isSignedIn(page: Page): Promise<boolean> {
  const cookies = await page.context().cookies(demo.origin)
  return cookies.some(({ name }) => name.endsWith('-session'))
}

const changed = (address: URL, changes: Record<string, string>) => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value)
  return url
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

it('an answer with the state, the code or the issuer of another sign-in is refused, and the right one still works', async () => {
  const [attacker, victim] = [(await demo.open()).page, (await demo.open()).page]
  await begin(attacker)
  const stolen = await answerFor(attacker, 'Imogen Hart')
  expect(await follow(victim, stolen)).toBe(400)
  await victim.getByText('was started in another browser').waitFor()
  await begin(victim)
  const own = await answerFor(victim, 'Priya Nair')
  const of = (address: URL, name: string) => address.searchParams.get(name) ?? ''
  for (const forged of [
    stolen,
    changed(own, { state: of(stolen, 'state') }),
    changed(own, { code: of(stolen, 'code') }),
    changed(own, { iss: second?.issuer ?? '' }),
  ]) {
    expect(await follow(victim, forged)).toBe(401)
    await victim.getByText('You could not be signed in.').waitFor()
    expect(await isSignedIn(victim)).toBe(false)
  }
  expect(await follow(victim, own)).toBe(200)
  await victim.waitForURL(/\/overview$/)
  expect(await victim.locator('.person').innerText()).toBe('Priya Nair')
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
