import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSite, operationOf, type Site, telephone } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

it('the first stop leads past the navigation; a form is sent from a field', async () => {
  const { page, close } = await site.visit('/docs')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#content')
  const { field, answer, section } = operationOf(page, 'list_items')
  await field('per_page').focus()
  await page.keyboard.press('Enter')
  await answer.locator('.line').waitFor()
  expect(await section.locator('form > [role=status]').innerText()).toBe('Answered with 401')
  await close()
})

it('a search finds fields, operations and errors, by the arrows and Enter', async () => {
  const { page, close } = await site.visit('/docs')
  const found = async (words: string) => {
    await page.keyboard.press('/')
    await page.fill('#search', words)
    return page.locator('#results a').allInnerTexts()
  }
  expect((await found('gap_amount'))[0]).toContain('gap_amount')
  expect(await found('policies item')).toContain('Policy assignments of one item')
  expect((await found('em dash')).join()).toContain('category')
  expect((await found('rate_limited'))[0]).toContain('429')
  expect(await found('nonsense')).toEqual([])
  expect(await page.locator('#found').innerText()).toBe('Nothing found')
  await found('gap_amount')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#get_item.data.gap_amount')
  await page.locator('#search').focus()
  await page.keyboard.press('Escape')
  expect(await page.locator('#all').isVisible()).toBe(true)
  await close()
})

it('the contents show where one is, also on a telephone', async () => {
  for (const viewport of [{ width: 1280, height: 800 }, telephone]) {
    const { page, close } = await site.visit('/docs#list_maintenance', { viewport })
    const marked = page.locator('#contents [aria-current]')
    await expect.poll(() => marked.getAttribute('href')).toBe('#list_maintenance')
    expect(await marked.count()).toBe(1)
    if (viewport === telephone) {
      expect(await page.locator('#current').innerText()).toBe('/maintenance')
      await page.getByRole('button', { name: 'Contents' }).click()
      await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Errors' }).click()
      expect(await page.getByRole('navigation', { name: 'Contents' }).isVisible()).toBe(false)
      await expect.poll(() => page.locator('#current').innerText()).toBe('Errors')
    }
    await close()
  }
})

it('a language that is chosen once is chosen for all samples, by the arrows too', async () => {
  const { page, close } = await site.visit('/docs')
  await operationOf(page, 'get_policy').section.getByRole('radio', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  for (const id of ['list_items', 'get_policy', 'get_account']) {
    const { sample } = operationOf(page, id)
    expect([await sample('JavaScript').isVisible(), await sample('curl').isVisible()]).toEqual([true, false])
  }
  expect(await page.locator('[data-example="sync.js"]').isVisible()).toBe(true)
  await close()
})
