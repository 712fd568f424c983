import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { cardOf, createToken, type Demo, openDemo, runQuery } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

const statusOf = async (token: string) =>
  (await fetch(`${demo.origin}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })).status

/** Runs what somebody pastes into a terminal. */
const inShell = (command: string) =>
  promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env.PATH } }).then(({ stdout }) => stdout)

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

it('somebody with only the address of / makes a first call by links and buttons', async () => {
  const { page } = await demo.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(demo.origin)
  await page.getByRole('main').getByRole('link', { name: 'Console', exact: true }).click()
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await createToken(page, 'My first token')
  await page.getByRole('button', { name: 'Copy First call' }).click()
  await page.getByText('Copied.').waitFor()
  const answer = await inShell(`${await page.evaluate<string>('navigator.clipboard.readText()')} -sS`)
  expect(JSON.parse(answer)).toMatchObject({ data: [{ id: expect.any(String) }], meta: { per_page: 1 } })

  await page.getByRole('link', { name: 'the first call' }).click()
  await page.waitForURL(/\/docs#first-call$/)
  expect(await page.getByRole('heading', { name: 'First call' }).isVisible()).toBe(true)
  const command = (await page.locator('[data-example="create-token"]').textContent()) ?? ''
  expect(await inShell(command)).toMatch(/^svc_studio_\w+$/m)
})

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
  expect(await page.locator('tbody tr').innerText()).toMatch(
    /UTC\s+[\da-f-]{36}\s+GET \/v1\/account\s+200\s+\d+\.\d ms/,
  )

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

  // Nothing went elsewhere, and the secret is in no URL and in no line of the log.
  expect(requests.filter((url) => !url.startsWith(demo.origin))).toEqual([])
  expect(requests.join('\n')).not.toContain(token.slice(-28))
  expect(demo.log()).not.toContain(token.slice(-28))
  expect(complaints).toEqual([])
})

it('a new token is tried in the browser, and no address has it', async () => {
  const { page, requests, complaints } = await demo.as('owner')
  const token = await createToken(page, 'Tried at once')
  await page.getByRole('link', { name: 'Try it in the browser' }).click()
  await page.waitForURL(/\/docs#list_items-samples$/)
  expect(await page.locator('#token').inputValue()).toBe(token)
  await page.locator('#list_items-samples').getByRole('button', { name: 'Send request' }).click()
  await page.locator('#list_items-samples .answer .line').getByText('200').waitFor()
  expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(token)
  expect(requests.join('\n')).not.toContain(token.slice(-28))
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
  // Over plain HTTP nothing can be copied: going on is the one primary action.
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
  await reach(page, 'Imogen Hart')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await reach(page, 'API tokens')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/tokens$/)
  await reach(page, 'New token')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/new$/)
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

it('a form is sent once; one whose sending was stopped can be sent again', async () => {
  const { page } = await demo.as('owner')
  let posts = 0
  await page.route('**/tokens', (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    // Never answered: the form is on its way until somebody stops it.
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

it('the page of GraphQL has the schema and runs a query at once in the demo, stores nothing, and reaches no other host', async () => {
  // The line is printed once it answers.
  const line = () => /GraphQL at (\S+)graphql,/.exec(demo.log())?.[1]
  const address = await vi.waitUntil(line, { timeout: 30_000, interval: 50 })
  const { page, requests, complaints } = await demo.open()
  await page.goto(address)
  await runQuery(page)

  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain('eyJ')
  expect(requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
  expect(complaints).toEqual([])

  await page.evaluate(`(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.body.append(script)
    await fetch('http://127.0.0.1:9/').catch(() => {})
  })()`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(1)
})
