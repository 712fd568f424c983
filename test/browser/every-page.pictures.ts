import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createToken, type Demo, openDemo } from './demo.ts'
import { operationOf } from './support.ts'

/** Pictures of every page, to be looked at after a change of styles: SCREENSHOTS_DIR says where they go. */
const folder = process.env.SCREENSHOTS_DIR ?? join(tmpdir(), 'studio-inventory-pictures')

const widths = [1440, 1024, 390]
const [at, graphqlAt] = ['http://localhost:3000', 'http://localhost:3001/']

let demo: Demo
beforeAll(async () => {
  demo = await openDemo(3000)
  await mkdir(folder, { recursive: true })
  console.log(`pictures go to ${folder}`)
})
afterAll(() => demo?.close())

/** As much of a long page as can be looked at. */
const maxHeight = 2_400

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  const [width = 0, height = 0] = await page.evaluate<number[]>(
    '[document.documentElement.clientWidth, document.documentElement.scrollHeight]',
  )
  const clip = { x: 0, y: 0, width, height: Math.min(height, maxHeight) }
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: 'disabled', clip })
}

/** The page as it is now, in each width and colour, and as it is printed. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme, media: 'screen' })
      await picture(page, `${name}-${width}-${colorScheme}`)
    }
  }
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

it('the page of GraphQL', async () => {
  const { page } = await demo.open()
  await page.goto(graphqlAt)
  await page.locator('#type-Query').waitFor()
  await look(page, 'graphql')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('"Northlight Studios"').waitFor()
  await page.locator('#type-Item summary').click()
  await look(page, 'graphql-answered')
  await page.fill('#query', '{\n  items { nodes { x } }\n}')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('.problems li').first().waitFor()
  await page.fill('#find', 'value')
  await look(page, 'graphql-refused')
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

it('every page without JavaScript', async () => {
  const { page } = await demo.open({ javaScriptEnabled: false, viewport: { width: 1024, height: 900 } })
  for (const [name, address] of [
    ['front', `${at}/`],
    ['docs', `${at}/docs`],
    ['console', `${at}/console`],
    ['graphql', graphqlAt],
  ] as const) {
    await page.goto(address)
    await picture(page, `${name}-without-scripts`)
  }
})
