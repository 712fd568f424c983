import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desktop, findings, openSite, overflow, type Site, telephone, unfold } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
  site.app.answer(({ name }) => ({ status: 200, total: '1', data: name.includes('list') ? '' : '{"name":"—"}' }))
})
afterAll(() => site.close())

const appearances = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [desktop, telephone].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} px` })),
)

describe.each(appearances)('$name', ({ colorScheme, viewport }) => {
  it('axe finds nothing, nothing is wider than the window, and nothing is complained of', async () => {
    const { page, complaints, close } = await site.visit('/docs', { colorScheme, viewport })
    expect(await findings(page)).toEqual([])
    expect(await overflow(page)).toBe(0)
    await page.fill('#token', 'no token')
    await unfold(page)
    expect(await findings(page)).toEqual([])
    expect(await overflow(page)).toBe(0)
    // 401 of the requests that were sent without a token is all that the browser mentions.
    expect(complaints.filter((text) => !text.includes('401 (Unauthorized)'))).toEqual([])
    await close()
  })

  it('the ground of the page follows the scheme', async () => {
    const { page, close } = await site.visit('/docs', { colorScheme, viewport, wait: false })
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const brightness = Math.max(...(ground.match(/\d+/g) ?? []).map(Number))
    expect(brightness > 128).toBe(colorScheme === 'light')
    await close()
  })
})

it('without JavaScript everything but the interactive part is there, and says so', async () => {
  const { page, close } = await site.visit('/docs', { javaScriptEnabled: false, wait: false })
  expect(await page.locator('noscript').first().innerText()).toContain('needs JavaScript')
  expect(await page.locator('#error-not-found').isVisible()).toBe(true)
  expect(await page.locator('#adequacy-disclaimer').isVisible()).toBe(true)
  expect(await page.locator('#endpoints dt').count()).toBeGreaterThanOrEqual(8)
  expect(await page.locator('#token').isVisible()).toBe(false)
  await close()
})

it('a description that cannot be loaded is reported, and the rest of the page is shown', async () => {
  const { page, close } = await site.visit('/docs', { broken: true, wait: false })
  await page.getByText('The interactive reference could not be loaded.').waitFor()
  expect(await findings(page)).toEqual([])
  await close()
})

it('is worked with the keyboard: the first stop leads past the navigation, an operation opens and sends', async () => {
  const { page, close } = await site.visit('/docs')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#content')
  const operation = page.locator('.operation button').first()
  await operation.focus()
  await page.keyboard.press('Enter')
  expect(await operation.getAttribute('aria-expanded')).toBe('true')
  const send = page.locator('button.send').first()
  // While the operation opens, the button may be drawn again, and lose the focus that it had.
  await expect
    .poll(async () => {
      await send.focus()
      await page.waitForTimeout(200)
      return page.locator('button.send:focus').count()
    })
    .toBe(1)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.live-responses-table')
  expect(await page.locator('[role=status].spoken').first().innerText()).toBe('Answered with 401')
  await close()
})
