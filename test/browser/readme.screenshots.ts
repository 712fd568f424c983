import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createToken, type Demo, openDemo, runQuery } from './demo.ts'
import { operationOf } from './support.ts'

/** The pictures of README.md. `npx vitest run --project screenshots readme` takes them again, of the demo at the addresses that `npm start` has. */
const folder = join(import.meta.dirname, '../../docs/images')
const maxBytes = 150_000
const studio = 'Northlight Studios'
const tokenName = 'Accounting export'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo(3000)
  await mkdir(folder, { recursive: true })
})
afterAll(() => demo?.close())

/** As wide as three columns need. */
const wide = { colorScheme: 'light', viewport: { width: 1280, height: 720 } } as const

const style = { colorScheme: 'light', viewport: { width: 1280, height: 720 } } as const

async function picture(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  expect((await stat(path)).size, `${path} is too large for a page that is read on the road`).toBeLessThan(maxBytes)
}

it('the reference, with an answer of the service', async () => {
  const { page } = await demo.open(wide)
  const token = (await demo.cli('token', 'create', '--studio', studio, '--name', 'Reference')).stdout.trim()
  await page.goto(`${demo.origin}/docs`)
  await page.fill('#token', token)
  const { section, send } = operationOf(page, 'get_item')
  await send()
  await page.locator('#token').blur()
  await section.evaluate((element) => element.scrollIntoView())
  await picture(page, 'reference')
})

it('the overview of the studio', async () => {
  const { page } = await demo.as('owner', style)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  await picture(page, 'overview')
})

it('a new token in the console, and its activity', async () => {
  const { page } = await demo.as('owner', style)
  const token = await createToken(page, tokenName)
  await picture(page, 'token-created')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  const paths = [
    '/account',
    '/items?per_page=3',
    '/policies',
    '/items?coverage_state=insured',
    '/locations',
    '/items/1',
  ]
  for (const path of [...paths, ...paths.slice(0, 3), ...paths.slice(0, 4), ...paths.slice(0, 3)])
    await ask(token, path)
  await page.goto(`${demo.origin}/console`)
  await page.getByRole('link', { name: tokenName, exact: true }).click()
  await page.getByRole('heading', { name: 'Activity' }).waitFor()
  const requests = () => page.reload().then(() => page.locator('tbody tr').count())
  await expect.poll(requests, { timeout: 20_000, interval: 500 }).toBe(16)
  await page.getByRole('link', { name: 'All tokens' }).evaluate((element) => element.scrollIntoView())
  await picture(page, 'token-activity')
})

it('an import that is shown before it is confirmed', async () => {
  const { page } = await demo.as('owner', style)
  const upload = async (...rows: string[]) => {
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    const text = ['Asset Tag,Name,Brand,Category,Purchase cost', ...rows].join('\n')
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'equipment.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('button', { name: 'See what would change' }).click()
    await page.getByRole('heading', { name: 'How the file is read' }).waitFor()
  }
  await upload('MIC-103,Coles 4038,Coles,Microphones,980.00')
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('Imported: 1 added, 0 changed.').waitFor()
  await upload(
    'MIC-103,Coles 4038,Coles,Microphones,1390.00',
    'MIC-104,Sony C-800G,Sony,Microphones,11250.00',
    'OUT-031,Teletronix LA-2A,Universal Audio,Outboard — Dynamics & EQ,4199.00',
  )
  await picture(page, 'import-preview')
})

function ask(token: string, path: string): Promise<Response> {
  return fetch(`${demo.local}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
}

it('a question in GraphQL', async () => {
  const { page } = await demo.open(style)
  await page.goto('http://localhost:3001/')
  await runQuery(page)
  await picture(page, 'graphql')
})
