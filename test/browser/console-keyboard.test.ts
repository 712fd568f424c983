import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardOf, createToken, type Demo, endSession, openDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const statusOf = async (token: string) =>
  (await fetch(`${demo.origin}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })).status

/** What has the focus says this: its label, else its text. */
const focused = (page: Page) =>
  page.evaluate<string>(`(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim() ?? ''`)

/** Moves on until what has the focus says this. */
async function reach(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if ((await focused(page)).includes(text)) return
  }
  throw new Error(`the focus does not reach ${text}`)
}

it('the whole way works with the keyboard alone, and Enter by itself revokes nothing', async () => {
  const { page } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await reach(page, 'Imogen Hart')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/tokens$/)
  await reach(page, 'Name')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/created$/)
  await expect.poll(() => focused(page)).toBe('Copy the token By keyboard now. It cannot be shown again.')
  const token = await page.locator('#token').innerText()
  await reach(page, 'I have copied it')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/tokens$/)

  const dialog = page.getByRole('dialog')
  await reach(page, 'Revoke By keyboard')
  for (const answer of ['Enter', 'Escape']) {
    await page.keyboard.press('Enter')
    expect(await dialog.isVisible()).toBe(true)
    await expect.poll(() => focused(page)).toBe('Keep it')
    await page.keyboard.press(answer)
    expect(await dialog.isVisible()).toBe(false)
    await expect.poll(() => focused(page)).toBe('Revoke By keyboard')
  }
  expect(await statusOf(token)).toBe(200)

  await page.keyboard.press('Enter')
  await reach(page, 'Revoke')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?done=revoked$/)
  await expect.poll(() => focused(page)).toMatch(/^By keyboard is revoked\./)
  expect(await statusOf(token)).toBe(401)
})

it('a session that ended is said; whoever signs in again finds the name that they typed', async () => {
  for (const [name, javaScriptEnabled] of [
    ['Typed for a while', true],
    ['Typed without scripts', false],
  ] as const) {
    const { page, requests } = await demo.as('owner', { javaScriptEnabled })
    await page.getByLabel('Name').fill(name)
    await page
      .getByLabel('Scope to team member')
      .selectOption({ label: 'Priya Nair (priya@northlight.example, member)' })
    await endSession(demo, page)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.waitForURL(/\/sign-in$/)
    expect(await page.getByRole('status').innerText()).toMatch(/^Your session ended\..*What you typed is kept/s)
    await page.getByRole('button', { name: 'Imogen Hart' }).click()
    await page.waitForURL(/\/tokens$/)
    await expect.poll(() => focused(page)).toMatch(/^Your session had ended, so no token was created\./)
    expect(await page.getByLabel('Name').inputValue()).toBe(name)
    expect(await cardOf(page, name).count()).toBe(0)
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.waitForURL(/\/created$/)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    expect(await cardOf(page, name).innerText()).toContain('Scoped to Priya Nair')
    expect(requests.join('\n')).not.toMatch(/Typed/)
  }
})

it('times are in the zone of the reader, with UTC on hover; without scripts they are in UTC', async () => {
  const plain = await demo.as('admin', { javaScriptEnabled: false, timezoneId: 'Asia/Kathmandu' })
  const time = plain.page.locator('time').first()
  const utc = (await time.innerText()).trim()
  expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  const moment = (await time.getAttribute('datetime')) ?? ''

  const { page } = await demo.as('admin', { timezoneId: 'Asia/Kathmandu' })
  const there = new Date(Date.parse(moment) + (5 * 60 + 45) * 60_000).toISOString()
  const shown = page.locator(`time[datetime="${moment}"]`).first()
  expect(await shown.innerText()).toBe(`${there.slice(0, 10)} ${there.slice(11, 16)} GMT+5:45`)
  expect(await shown.getAttribute('title')).toBe(utc)
})

it('activity is filtered with and without scripts, and the page stays at it', async () => {
  const { page: owner } = await demo.as('owner')
  const token = await createToken(owner, 'Filtered')
  for (const path of ['/account', '/items/x', '/items?per_page=1']) {
    await fetch(`${demo.origin}/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })
  }
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await demo.as('member', { javaScriptEnabled })
    await page.getByRole('link', { name: 'Filtered', exact: true }).click()
    await expect
      .poll(() => page.reload().then(() => page.locator('tbody tr').count()), { timeout: 20_000, interval: 500 })
      .toBe(3)
    await page.getByLabel('Status').selectOption('4xx')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/\?status=4xx&operation=#activity$/)
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/GET \/v1\/items\/\{id\}\s+404/),
    ])
    expect(await page.getByRole('status').innerText()).toBe('1 of the last 3 requests: 4xx. Show all')
    await page.getByRole('link', { name: 'Show all' }).click()
    expect(await page.locator('tbody tr').count()).toBe(3)
  }
})
