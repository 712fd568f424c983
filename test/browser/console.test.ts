import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pagesOf } from '../report/support.ts'
import { cardOf, createToken, type Demo, openDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

const statusOf = async (token: string) =>
  (await fetch(`${demo.origin}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })).status

/** What has the focus says this: its label, else its text. */
const focused = (page: Page) =>
  page.evaluate<string>(`(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim() ?? ''`)

/** Presses Tab until the element with this label has the focus. */
async function reach(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if ((await focused(page)).includes(text)) return
  }
  throw new Error(`the focus does not reach ${text}`)
}

/** Moves on to it, presses it and arrives. */
async function follow(page: Page, text: string, at: RegExp): Promise<void> {
  await reach(page, text)
  await page.keyboard.press('Enter')
  await page.waitForURL(at)
}

it('an owner creates a scoped token, uses it, sees its activity and revokes it', async () => {
  const { page, requests, complaints } = await demo.as('owner')
  await page.getByRole('link', { name: 'New token' }).click()
  const token = await createToken(page, 'Payroll', 'Priya Nair (priya@northlight.example, member)')
  expect(await statusOf(token)).toBe(200)

  await page.getByRole('link', { name: 'I have copied it' }).click()
  const card = cardOf(page, 'Payroll')
  const shown = await card.innerText()
  expect(shown).toContain('Scoped to Priya Nair')
  const prefix = `${token.slice(0, 'svc_studio_'.length + 4)}…`
  expect(shown).toContain(prefix)

  const used = () => page.reload().then(() => card.innerText())
  await expect.poll(used, { timeout: 20_000, interval: 500 }).not.toContain('Never used')
  await card.getByRole('link', { name: 'Payroll', exact: true }).click()
  const activity = /UTC\s+[\da-f-]{36}\s+GET \/v1\/account\s+200\s+\d+\.\d ms/
  expect(await page.locator('tbody tr').innerText()).toMatch(activity)

  await page.getByRole('link', { name: 'All tokens' }).click()
  await card.getByRole('button', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.innerText()).toContain(`Payroll (${prefix}). The token stops working immediately.`)
  expect(await statusOf(token)).toBe(200)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Payroll is revoked.').waitFor()
  expect(await statusOf(token)).toBe(401)

  await page.getByRole('link', { name: 'Audit log' }).click()
  const rows = await page.locator('tbody tr').allInnerTexts()
  expect(rows[0]).toMatch(/Token revoked\s+Payroll\s+svc_studio_.*Imogen Hart/s)
  expect(rows[1]).toMatch(/Token created\s+Payroll\s+svc_studio_.*Imogen Hart.*Priya Nair/s)

  // The browser sent nothing elsewhere, and neither a URL nor a log line has the secret.
  expect(requests.filter((url) => !url.startsWith(demo.origin))).toEqual([])
  expect(requests.join('\n')).not.toContain(token.slice(-28))
  expect(demo.log()).not.toContain(token.slice(-28))
  expect(complaints).toEqual([])
})

it.each([true, false])('the new token is shown once, on no way back or forth (with scripts: %s)', async (scripts) => {
  const { page } = await demo.as('admin', { javaScriptEnabled: scripts })
  const token = await createToken(page, 'Once')
  await page.reload()
  expect(await page.getByRole('status').innerText()).toContain('is shown only once')
  expect(await page.content()).not.toContain(token)
  const name = `Twice, ${scripts ? 'with' : 'without'} scripts`
  const second = await createToken(page, name)
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await page.goBack()
  expect(await page.content()).not.toContain(second)
  await page.goForward()
  expect(await page.content()).not.toContain(second)
  if (scripts) return
  await cardOf(page, name).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'Revoke this token?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText(`${name} is revoked.`).waitFor()
  expect(await statusOf(second)).toBe(401)
})

it('the token is copied with a button, a name is shown as typed, and on paper nothing is there to be pressed', async () => {
  const { page, complaints } = await demo.as('owner', { permissions: ['clipboard-read', 'clipboard-write'] })
  const name = `<img src=x onerror="document.title='no'"> & "Ivory's"  two blanks`
  const token = await createToken(page, name)
  await page.getByRole('button', { name: 'Copy Token' }).click()
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
  expect(await page.locator('main strong').innerText()).toBe(name)
  await page.emulateMedia({ media: 'print' })
  const words = await page.locator('body').innerText()
  expect(words.split(token)).toHaveLength(2)
  expect(words).not.toMatch(/Copy Token|Sign out|I have copied it/)
  await page.emulateMedia({ media: 'screen' })
  // Over plain HTTP the browser cannot copy, so the link that goes on is the primary action.
  await page.addInitScript('delete Navigator.prototype.clipboard')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  expect(await cardOf(page, 'Ivory').getByRole('link').first().innerText()).toBe(name)
  await createToken(page, 'Copied by hand')
  expect(await page.locator('main .primary').filter({ visible: true }).allInnerTexts()).toEqual(['I have copied it'])
  expect(complaints).toEqual([])
})

it('everything works with only the keyboard, and Enter alone revokes nothing', async () => {
  const { page } = await demo.open()
  await page.goto(`${demo.origin}/console`)
  await follow(page, 'Imogen Hart', /\/overview$/)
  await follow(page, 'API tokens', /\/tokens$/)
  await follow(page, 'New token', /\/new$/)
  await reach(page, 'Name')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/created$/)
  await expect.poll(() => focused(page)).toBe('Copy the token By keyboard now. It cannot be shown again.')
  const token = await page.locator('#token').innerText()
  await follow(page, 'I have copied it', /\/tokens$/)

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
  await follow(page, 'Revoke', /\?done=revoked$/)
  await expect.poll(() => focused(page)).toMatch(/^By keyboard is revoked\./)
  expect(await statusOf(token)).toBe(401)
})

it('times are in the zone of the reader, with UTC on hover; without scripts they are in UTC', async () => {
  const plain = await demo.as('admin', { javaScriptEnabled: false, timezoneId: 'Asia/Kathmandu' })
  const listed = plain.page.locator('time').first()
  expect(await listed.innerText()).toMatch(/^(just now|\d+ minutes? ago)$/)
  expect(await listed.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  await plain.page.locator('tbody a').first().click()
  const time = plain.page.locator('time').first()
  const utc = (await time.innerText()).trim()
  expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  const moment = (await time.getAttribute('datetime')) ?? ''

  const { page } = await demo.as('admin', { timezoneId: 'Asia/Kathmandu' })
  const there = new Date(Date.parse(moment) + (5 * 60 + 45) * 60_000).toISOString()
  const shown = page.locator(`time[datetime="${moment}"]`).first()
  await page.goto(plain.page.url())
  expect(await shown.innerText()).toBe(`${there.slice(0, 10)} ${there.slice(11, 16)} GMT+5:45`)
  expect(await shown.getAttribute('title')).toBe(utc)
})

it('an owner downloads the report, twice on one page', async () => {
  const { page, complaints } = await demo.as('owner')
  await page.getByRole('link', { name: 'Report' }).click()
  await page.getByLabel('Day of the values').fill('2026-03-31')
  for (const format of ['xlsx', 'csv']) {
    await page.getByLabel('Format').selectOption(format)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the report' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`equipment-northlight-studios-2026-03-31.${format}`)
    expect(await download.failure()).toBeNull()
  }
  expect(complaints).toEqual([])
})

it('an owner downloads the report of one policy for a reader; a policy of another day marks its own field', async () => {
  const { page } = await demo.as('owner')
  await page.getByRole('link', { name: 'Report' }).click()
  const policy = page.getByLabel('Policy')
  await policy.selectOption({ label: 'Microphones and outboard floater (HLM-EF-204418), Harbour & Lyle Mutual' })
  await page.getByLabel('Prepared for').fill('Harbour & Lyle')
  await page.getByLabel('Day of the values').fill('2001-03-31')
  const button = page.getByRole('button', { name: 'Download the report' })
  await button.click()
  await page.getByRole('alert').filter({ hasText: 'is not in force on 2001-03-31' }).waitFor()
  expect(await page.locator('[aria-invalid]').evaluateAll((all) => all.map(({ id }) => id))).toEqual(['policy'])
  expect(await page.getByLabel('Prepared for').inputValue()).toBe('Harbour & Lyle')
  await page.getByLabel('Day of the values').fill('')
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  const named = /^equipment-northlight-studios-microphones-and-outboard-floater-.*\.pdf$/
  expect(download.suggestedFilename()).toMatch(named)
  const [first] = await pagesOf(await readFile(await download.path()))
  expect(first).toContain('Prepared for Harbour & Lyle')
  expect(first).toContain('Limit of the policy')
})

it('a form is sent once; one whose sending was stopped can be sent again', async () => {
  const { page } = await demo.as('owner')
  let posts = 0
  await page.route('**/tokens', (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    // The server never answers, so the form is on its way until somebody stops it.
    posts += 1
  })
  await page.getByRole('link', { name: 'New token' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Stopped')
  const button = page.getByRole('button', { name: 'Create token' })
  await button.scrollIntoViewIfNeeded()
  const box = await button.boundingBox()
  const press = () => page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await press()
  await press()
  await expect.poll(() => posts, { timeout: 20_000 }).toBe(1)
  await page.keyboard.press('Escape')
  await press()
  await expect.poll(() => posts, { timeout: 20_000 }).toBe(2)
})
