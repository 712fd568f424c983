import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { newToken } from '../http/support.ts'
import { findings, openSite, operationOf, overflow, type Site, telephone } from './support.ts'

/** Where pictures go, to be looked at; none are made without it. */
const pictures = process.env.SCREENSHOTS_DIR

let site: Site
beforeAll(async () => {
  site = await openSite()
  site.app.answer(({ name }) => ({ status: 200, total: '1', data: name.includes('list') ? '' : '{"name":"—"}' }))
})
afterAll(() => site.close())

/** With three columns. */
const wide = { width: 1440, height: 900 }
const appearances = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [wide, telephone].map((viewport) => ({
    colorScheme,
    viewport,
    name: `${colorScheme}, ${viewport.width} px`,
  })),
)

describe.each(appearances)('$name', ({ colorScheme, viewport, name }) => {
  it('axe finds nothing, nothing is wider than the window, and nothing is complained of', async () => {
    const { page, complaints, close } = await site.visit('/docs', { colorScheme, viewport })
    expect(await overflow(page)).toBe(0)
    if (pictures) await page.screenshot({ path: join(pictures, `docs ${name}.png`), fullPage: true })
    // An answer, an error, a half-typed token, the contents and a search.
    await page.fill('#token', newToken())
    await operationOf(page, 'list_items').send()
    await page.fill('#token', 'no token')
    await operationOf(page, 'get_item').send()
    await page.keyboard.press('/')
    await page.keyboard.type('value')
    expect(await findings(page)).toEqual([])
    expect(await overflow(page)).toBe(0)
    // And what the service did not answer.
    await page.context().setOffline(true)
    const { send, answer } = operationOf(page, 'list_locations')
    await send()
    expect(await answer.innerText()).toContain('Not answered')
    await page.context().setOffline(false)
    expect([await findings(page), await overflow(page)]).toEqual([[], 0])
    // 401 of the request that was sent without a token, and the one that was not answered, are all that the browser mentions.
    const expected = /401 \(Unauthorized\)|net::ERR_INTERNET_DISCONNECTED/
    expect(complaints.filter((text) => !expected.test(text))).toEqual([])
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const brightness = Math.max(...(ground.match(/\d+/g) ?? []).map(Number))
    expect(brightness > 128).toBe(colorScheme === 'light')
    await close()
  })
})

it('without JavaScript every operation, field and sample is there, and nothing that would need it', async () => {
  const { page, close } = await site.visit('/docs', { javaScriptEnabled: false })
  for (const { id } of operations) {
    const { section, sample } = operationOf(page, id)
    expect(await section.locator('.fields dt').first().isVisible()).toBe(true)
    expect(await sample('curl').isVisible()).toBe(true)
    await section.getByRole('radio', { name: 'Python' }).check()
    expect([await sample('curl').isVisible(), await sample('Python').isVisible()]).toEqual([false, true])
  }
  expect(await page.locator('#error-not-found').isVisible()).toBe(true)
  expect(await page.locator('#adequacy-disclaimer').isVisible()).toBe(true)
  for (const needing of ['#token', '#search', 'form.try', '.copy', '.needs-script']) {
    expect([needing, await page.locator(needing).first().isVisible()]).toEqual([needing, false])
  }
  await close()
})

it('of all the panels of a group of tabs the chosen one is shown, whichever it is', async () => {
  const { page, close } = await site.visit('/docs', { javaScriptEnabled: false })
  const groups = await page.locator('.tabs').all()
  expect(groups.length).toBeGreaterThan(operations.length)
  for (const group of groups) {
    const panels = await group.locator('> [data-panel]').all()
    for (const [index, choice] of (await group.getByRole('radio').all()).entries()) {
      await choice.check()
      const shown = await Promise.all(panels.map((panel) => panel.isVisible()))
      expect(shown).toEqual(panels.map((_, panel) => panel === index))
    }
  }
  await close()
})

it('on a telephone without JavaScript the contents are a button away', async () => {
  const { page, close } = await site.visit('/docs#list_policies', { javaScriptEnabled: false, viewport: telephone })
  const contents = page.getByRole('navigation', { name: 'Contents' })
  expect(await contents.isVisible()).toBe(false)
  expect(await page.locator('#list_policies .jump').innerText()).toBe('Samples')
  await page.getByRole('button', { name: 'Contents' }).click()
  await contents.getByRole('link', { name: '/account' }).click()
  await page.waitForURL('**/docs#get_account')
  await close()
})

it('in print everything is there, with every sample, and nothing that is pressed', async () => {
  const { page, close } = await site.visit('/docs', { viewport: wide })
  await page.fill('#token', newToken())
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  await page.emulateMedia({ media: 'print' })
  for (const { id } of operations) {
    const { sample } = operationOf(page, id)
    for (const language of ['curl', 'JavaScript', 'Python']) expect(await sample(language).isVisible()).toBe(true)
    expect(await sample('Python').innerText()).toContain('Bearer YOUR_TOKEN')
  }
  const named = await page.evaluate(
    `getComputedStyle(document.querySelector('#list_items .example [data-panel]'), '::before').content`,
  )
  expect(named).toBe(`"${Object.values(operations[0]?.examples ?? {})[0]?.summary}"`)
  for (const pressed of ['#token', '#contents', 'form.try', '.copy', 'fieldset']) {
    expect([pressed, await page.locator(pressed).first().isVisible()]).toEqual([pressed, false])
  }
  const cut = await page.evaluate<number>(
    `[...document.querySelectorAll('pre')].filter((pre) => pre.scrollHeight > pre.clientHeight + 1 || pre.scrollWidth > pre.clientWidth + 1).length`,
  )
  expect(cut).toBe(0)
  await close()
})
