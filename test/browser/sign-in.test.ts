import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoPeople } from '../../src/dev/demo/studios.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { type Demo, openDemo } from './demo.ts'
import { desktop, findings, overflow } from './support.ts'

const pictures = process.env.SCREENSHOTS_DIR
const narrow = { width: 390, height: 844 }

let provider: IdentityProvider
let demo: Demo
beforeAll(async () => {
  if (pictures) await mkdir(pictures, { recursive: true })
  // The console is at localhost, the provider at 127.0.0.1: another site, whose redirects bring no SameSite=Strict cookie.
  demo = await openDemo(undefined, async (publicUrl) => {
    const stranger = { email: 'nobody@example.com', name: 'Nobody Here' }
    provider = await startIdentityProvider({ accounts: [...demoPeople(), stranger], publicUrl })
    return {
      PUBLIC_URL: publicUrl,
      CONSOLE_ISSUER: provider.issuer,
      CONSOLE_ISSUER_NAME: 'Real provider',
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

/** Of a page as it is now, in both colours and widths: axe finds nothing, and nothing is wider than the window. */
async function look(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [desktop, narrow]) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      const appearance = `${state}-${colorScheme}-${viewport.width}`
      if (pictures) await page.screenshot({ path: join(pictures, `${appearance}.png`), fullPage: true })
      const found = { findings: await findings(page, 10), overflow: await overflow(page) }
      expect({ appearance, ...found }).toEqual({ appearance, findings: [], overflow: 0 })
    }
  }
}

const signIn = (page: Page) => page.getByRole('link', { name: 'Sign in with Real provider' }).click()

it('somebody signs in at a real provider on another site, comes to the page that they wanted, and signs out of both', async () => {
  const { page, complaints } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await page.getByText('Provider that is down cannot be reached at the moment.').waitFor()
  await look(page, 'sign-in-providers')
  await signIn(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/tokens$/)
  const log = page.url().replace(/tokens$/, 'audit-log')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await page.waitForURL(`${demo.origin}/console/sign-in`)
  expect((await page.context().cookies(demo.origin)).filter(({ name }) => name.endsWith('-session'))).toEqual([])

  await page.goto(log)
  await signIn(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(log)
  expect(await page.getByRole('heading', { name: 'Audit log' }).count()).toBe(1)
  expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
})

it('who cancels, and who is not known here, reads so', async () => {
  const { page } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await signIn(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The sign-in was cancelled').waitFor()
  await look(page, 'sign-in-cancelled')
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await signIn(page)
  await page.getByRole('button', { name: 'Nobody Here' }).click()
  await page.getByRole('heading', { name: 'You have no access here yet' }).waitFor()
  await look(page, 'sign-in-unknown')
})

it('a link with somebody else’s code, on any page, signs nobody in', async () => {
  const attacker = (await demo.open()).page
  await attacker.goto(`${demo.origin}/console`)
  await signIn(attacker)
  await attacker.getByRole('button', { name: 'Imogen Hart' }).waitFor()
  // Without its cookie the attacker's browser does not use the code up either.
  await attacker.context().clearCookies({ domain: 'localhost' })
  await attacker.getByRole('button', { name: 'Imogen Hart' }).click()
  await attacker.waitForURL(/\/callback\?/)
  const callback = attacker.url()

  const victim = (await demo.open()).page
  await victim.goto(`${demo.origin}/console/sign-in`)
  await victim.goto(provider.issuer)
  await victim.setContent(`<a href="${callback}">Look</a>`)
  await victim.getByRole('link', { name: 'Look' }).click()
  await victim.getByText('was not begun in this browser').waitFor()
  await look(victim, 'sign-in-not-begun')
  expect((await victim.context().cookies(demo.origin)).map(({ name }) => name)).not.toContain(
    'studio-inventory-session',
  )
})

it('a callback that is opened again signs nobody in, and leaves the session alone', async () => {
  const { page, requests } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await signIn(page)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/tokens$/)
  const session = async () =>
    (await page.context().cookies(demo.origin)).find(({ name }) => name.endsWith('-session'))?.value
  const before = await session()
  const callback = requests.find((url) => url.includes('/callback?code=')) ?? ''
  expect((await page.goto(callback))?.status()).toBe(400)
  expect(await session()).toBe(before)
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await page.waitForURL(/\/tokens$/)
})

it('the page between signing out here and there says so to whoever stays on it', async () => {
  const { page } = await demo.open({ javaScriptEnabled: false })
  await page.goto(`${demo.origin}/console`)
  await signIn(page)
  await page.getByRole('button', { name: 'Priya Nair' }).click()
  await page.waitForURL(/\/tokens$/)
  await page.route(`${provider.issuer}/session/end?*`, (route) => route.fulfill({ status: 204 }))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  expect(await page.getByRole('link', { name: 'Continue to sign out of Real provider' }).count()).toBe(1)
  if (pictures) await page.screenshot({ path: join(pictures, 'signed-out.png') })
})
