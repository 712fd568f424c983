import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardOf, createToken, type Demo, endSession, openDemo } from './demo.ts'
import { operationOf } from './support.ts'

/** Pictures of every page, to be looked at after a change of styles: SCREENSHOTS_DIR says where they go. */
const folder = process.env.SCREENSHOTS_DIR ?? join(tmpdir(), 'studio-inventory-pictures')

const widths = [1440, 1024, 390]
const at = 'http://localhost:3000'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo(3000)
  await mkdir(folder, { recursive: true })
  console.log(`pictures go to ${folder}`)
})
afterAll(() => demo?.close())

/** As much of a page as can be looked at in one picture; a longer one has several. */
const maxHeight = 2_400

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  const [width = 0, whole = 0, seen = 0, hasDialog] = await page.evaluate<[number, number, number, boolean]>(
    '[document.documentElement.clientWidth, document.documentElement.scrollHeight, innerHeight, document.querySelector("dialog[open]") !== null]',
  )
  // What is behind a dialog is dark as far as the window goes.
  const height = hasDialog ? seen : whole
  const slices = Math.ceil(height / maxHeight)
  for (let slice = 0; slice < slices; slice++) {
    const y = slice * maxHeight
    const clip = { x: 0, y, width, height: Math.min(height - y, maxHeight) }
    const number = slices > 1 ? `-${String(slice + 1).padStart(2, '0')}` : ''
    await page.screenshot({ path: join(folder, `${name}${number}.png`), fullPage: true, animations: 'disabled', clip })
  }
}

/** The page as it is now, in each width and colour. */
async function lookAtScreen(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme, media: 'screen' })
      await picture(page, `${name}-${width}-${colorScheme}`)
    }
  }
}

/** The same, and as it is printed. */
async function look(page: Page, name: string): Promise<void> {
  await lookAtScreen(page, name)
  await page.setViewportSize({ width: 794, height: 1123 })
  await page.emulateMedia({ media: 'print', colorScheme: 'light' })
  await picture(page, `${name}-print`)
  await page.emulateMedia({ media: 'screen' })
}

it('the pages without an account', async () => {
  const { page } = await demo.open()
  await page.goto(`${at}/`)
  await look(page, 'front')
  await page.goto(`${at}/docs`)
  await operationOf(page, 'get_account').send()
  await look(page, 'docs')
  await page.goto(`${at}/console`)
  await look(page, 'console-sign-in')
})

it('the console', async () => {
  const { page } = await demo.as('owner')
  const token = await createToken(page, 'Accounting export')
  await look(page, 'console-created')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await look(page, 'console-tokens')
  const tokens = page.url()
  for (const path of ['account', 'items?per_page=1', 'items/x']) {
    await fetch(`${demo.local}/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } })
  }
  await page.getByRole('link', { name: 'Accounting export', exact: true }).click()
  const requests = () => page.reload().then(() => page.locator('tbody tr').count())
  await expect.poll(requests, { timeout: 20_000, interval: 500 }).toBe(3)
  await look(page, 'console-activity')
  for (const place of ['members', 'import', 'report', 'audit-log', 'plan']) {
    await page.goto(tokens.replace(/tokens$/, place))
    await look(page, `console-${place}`)
  }
})

it('a revocation, and a session that ended', async () => {
  const { page } = await demo.as('owner')
  await createToken(page, 'Former bookkeeper')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  const tokens = page.url()
  const revoke = () => cardOf(page, 'Former bookkeeper').getByRole('button', { name: 'Revoke' }).click()
  await revoke()
  await page.getByRole('dialog').waitFor()
  await lookAtScreen(page, 'console-revoke-dialog')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Former bookkeeper is revoked.').waitFor()
  await look(page, 'console-revoked')
  await page.goto(tokens)
  await endSession(demo, page)
  await page.getByLabel('Name').fill('Kept while one signs in again')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByText('Your session ended.').waitFor()
  await lookAtScreen(page, 'console-session-ended')
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.getByText('Your session had ended, so no token was created.').waitFor()
  await lookAtScreen(page, 'console-name-kept')
})

it('an import: what would change, and what is wrong', async () => {
  const { page } = await demo.as('owner')
  await page.getByRole('link', { name: 'Import' }).click()
  const upload = async (text: string) => {
    await page.getByLabel('File').setInputFiles({ name: 'gear.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('button', { name: 'See what would change' }).click()
    await page.getByRole('heading', { name: 'How the file is read' }).waitFor()
  }
  await upload('external_key,name,category\nA-3,A ribbon microphone,Microphones\nA-4,Another,Microphones\n')
  await look(page, 'console-import-preview')
  await page.getByRole('link', { name: 'Choose another file' }).click()
  await upload('Asset Tag,Title,Kind,Cost\nA-1,,Zithers,abc\nA-2,Zither,Zithers,10\n')
  await look(page, 'console-import-errors')
})

it('a studio without a plan, and one with the API off', async () => {
  const { page } = await demo.as('lapsed')
  await look(page, 'console-upsell')
  await demo.cli('studio', 'public-api', 'Hollow Oak Recording', 'off')
  await page.reload()
  await look(page, 'console-api-off')
  await page.goto(`${at}/console`)
  await look(page, 'console-api-off-studios')
})

it('every page without JavaScript', async () => {
  const { page } = await demo.open({ javaScriptEnabled: false, viewport: { width: 1024, height: 900 } })
  for (const [name, address] of [
    ['front', `${at}/`],
    ['docs', `${at}/docs`],
    ['console', `${at}/console`],
  ] as const) {
    await page.goto(address)
    await picture(page, `${name}-without-scripts`)
  }
  await page.goto(`${at}/console`)
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.waitForURL(/\/tokens$/)
  await picture(page, 'console-tokens-without-scripts')
  await createToken(page, 'Without scripts')
  await picture(page, 'console-created-without-scripts')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await cardOf(page, 'Without scripts').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'Revoke this token?' }).waitFor()
  await picture(page, 'console-revoke-without-scripts')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Without scripts is revoked.').waitFor()
  await picture(page, 'console-revoked-without-scripts')
})
