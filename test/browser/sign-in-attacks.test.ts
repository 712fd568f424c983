import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoPeople } from '../../src/dev/demo/studios.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { type Demo, openDemo } from './demo.ts'
import { launchChromium } from './support.ts'

let [first, second]: IdentityProvider[] = []
let demo: Demo
beforeAll(async () => {
  demo = await openDemo(undefined, async (publicUrl) => {
    first = await startIdentityProvider({ accounts: demoPeople(), publicUrl })
    second = await startIdentityProvider({ accounts: demoPeople(), publicUrl, number: 2 })
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
    }
  })
})
afterAll(async () => {
  await demo?.close()
  await Promise.all([first, second].map((provider) => provider?.close()))
})

/** Begins a sign-in: the page asks who somebody is. */
async function begin(page: Page, provider = 'First'): Promise<void> {
  await page.goto(`${demo.origin}/console/sign-in`)
  await page.getByRole('link', { name: `Sign in with ${provider}` }).click()
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
}

/** Finishes it at the provider. The address at which the browser comes back, which is not used: the console's cookies are away. */
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

it('an answer with the state, the code or the issuer of another signs nobody in, and the right one still does', async () => {
  const [attacker, victim] = [(await demo.open()).page, (await demo.open()).page]
  await begin(attacker)
  const stolen = await answerFor(attacker, 'Imogen Hart')
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
  await victim.waitForURL(/\/tokens$/)
  expect(await victim.locator('.person').innerText()).toBe('Priya Nair')
})

it('mix-up: what one provider answers to a sign-in that began at another is not taken, nor sent to either', async () => {
  const { page, requests } = await demo.open()
  await begin(page, 'Second')
  // The second provider sends the browser on to the first, with what the console has asked it with.
  const asked = new URL(requests.findLast((url) => url.startsWith(`${second?.issuer}/auth?`)) ?? '')
  const passedOn = new URL(`${first?.issuer}/auth${asked.search}`)
  passedOn.searchParams.set('redirect_uri', `${demo.origin}/console/sign-in/callback`)
  await page.evaluate(`location.assign(${JSON.stringify(passedOn.href)})`)
  await page.waitForURL(new RegExp(`^${first?.issuer}/interaction/`))
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.getByText('was not begun in this browser').waitFor()
  expect(await isSignedIn(page)).toBe(false)
  const answer = new URL(page.url())
  // Nor where the answers of the second one come.
  expect(await follow(page, new URL(`/console/sign-in/callback/2${answer.search}`, demo.origin))).toBe(401)
  expect(await isSignedIn(page)).toBe(false)
  expect(second?.requests.filter((request) => request.startsWith('POST /token'))).toEqual([])
})

it('a sign-in that was begun in one tab can be finished in another, and both are signed in', async () => {
  const { page: one } = await demo.open()
  await begin(one)
  const other = await one.context().newPage()
  await other.goto(one.url())
  await other.getByRole('button', { name: 'Imogen Hart' }).click()
  await other.waitForURL(/\/tokens$/)
  await one.goto(`${demo.origin}/console`)
  await one.waitForURL(/\/tokens$/)
})

it('of two that were begun in two tabs the last one counts, and the first one says to sign in again', async () => {
  const { page: one } = await demo.open()
  await begin(one)
  const other = await one.context().newPage()
  await begin(other)
  await one.getByRole('button', { name: 'Priya Nair' }).click()
  await one.getByText('You could not be signed in. Please sign in again.').waitFor()
  expect(await isSignedIn(one)).toBe(false)
  await other.getByRole('button', { name: 'Imogen Hart' }).click()
  await other.waitForURL(/\/tokens$/)
  expect(await other.locator('.person').innerText()).toBe('Imogen Hart')
})

it('after a sign-out the way back leads to no page of the console, also where the browser keeps pages as they were', async () => {
  const browser = await launchChromium({}, { ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  const context = await browser.newContext()
  const page = await context.newPage()
  await begin(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/tokens$/)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${demo.origin}/console/sign-in`)

  await page.evaluate('document.title = "Left"')
  const client = await context.newCDPSession(page)
  const { entries } = await client.send('Page.getNavigationHistory')
  const tokens = entries.findLast(({ url }) => url.endsWith('/tokens'))
  await client.send('Page.navigateToHistoryEntry', { entryId: tokens?.id ?? -1 })
  const title = async () => page.evaluate<string>('document.title + " at " + location.pathname').catch(() => '')
  await expect.poll(title, { timeout: 30_000 }).toBe('Sign in · Studio Inventory at /console/sign-in')
  await browser.close()
})
