import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cardOf, createToken, type Demo, openDemo } from './demo.ts'
import { desktop, findings, overflow, telephone } from './support.ts'

/** Where pictures of every page go, to be looked at; none are made without it. */
const pictures = process.env.SCREENSHOTS_DIR

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
  if (pictures) await mkdir(pictures, { recursive: true })
})
afterAll(() => demo.close())

const appearances = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [desktop, telephone].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} px` })),
)

describe.each(appearances)('$name', ({ colorScheme, viewport }) => {
  const look = async (page: Page, state: string) => {
    if (pictures) {
      await page.screenshot({ path: join(pictures, `${state}-${colorScheme}-${viewport.width}.png`), fullPage: true })
    }
    expect({ state, findings: await findings(page, 10), overflow: await overflow(page) }).toEqual({
      state,
      findings: [],
      overflow: 0,
    })
  }
  const style = { colorScheme, viewport }

  it('axe finds nothing and nothing is wider than the window: every page of an owner', async () => {
    const { page } = await demo.open(style)
    await page.goto(`${demo.origin}/console`)
    await look(page, 'sign-in')
    await page.getByRole('button', { name: 'Imogen Hart' }).click()
    await page.waitForURL(/\/tokens$/)
    await createToken(page, `Inventory sync ${'of everything '.repeat(6)}`.trim())
    await look(page, 'created')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await createToken(page, 'Scoped', 'Callum Byrne (callum@northlight.example, member)')
    await page.reload()
    await look(page, 'tokens')
    const scoped = cardOf(page, 'Scoped to Callum').first()
    await scoped.getByRole('link', { name: 'Revoke' }).click()
    await look(page, 'dialog')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText(/^Revoked$/).waitFor()
    await look(page, 'revoked')
    await page.getByRole('link', { name: 'All tokens' }).click()
    await page.getByLabel('Name').fill(' '.repeat(3))
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('alert').waitFor()
    await look(page, 'refused')
    await cardOf(page, 'Demo').getByRole('link', { name: 'Demo', exact: true }).click()
    await page.getByRole('heading', { name: 'Activity' }).waitFor()
    await look(page, 'activity')
    await page.goto(`${page.url()}/revoke`)
    await look(page, 'revoke')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await look(page, 'audit-log')
    await page.getByRole('link', { name: 'Report' }).click()
    await page.getByRole('heading', { name: 'Make a report' }).waitFor()
    await look(page, 'report')
    await page.goto(`${demo.origin}/console/nowhere`)
    await look(page, 'not-found')
  })

  it('axe finds nothing and nothing is wider than the window: what a member and a lapsed studio see', async () => {
    await look((await demo.as('member', style)).page, 'member')
    await look((await demo.as('lapsed', style)).page, 'upsell')
  })
})
