import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { sources } from '../../src/docs/routes.ts'
import { createProblems, type ProblemCode, problemDefinitions } from '../../src/http/problems.ts'
import { docsUrl, newToken } from '../http/support.ts'
import { desktop, look, openSite, operationOf, type Site, telephone } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
  site.app.answer(({ name }) => ({ status: 200, total: '1', data: name.includes('list') ? '' : '{"name":"—"}' }))
})
afterAll(() => site.close())

it('axe finds nothing, nothing is wider than the window, and nothing is complained of', async () => {
  const { page, complaints } = await site.visit('/docs', { viewport: { width: 1440, height: 900 } })
  // An answer, an error, a half-typed token, what the service did not answer, and a search.
  await page.fill('#token', newToken())
  await operationOf(page, 'list_items').send()
  await page.fill('#token', 'no token')
  await operationOf(page, 'get_item').send()
  await page.context().setOffline(true)
  const { send, answer } = operationOf(page, 'list_locations')
  await send()
  expect(await answer.innerText()).toContain('No response')
  await page.context().setOffline(false)
  await page.keyboard.press('/')
  await page.keyboard.type('value')
  await look(page, 'docs', 20)
  const expected = /401 \(Unauthorized\)|net::ERR_INTERNET_DISCONNECTED/
  expect(complaints.filter((text) => !expected.test(text))).toEqual([])
})

it('without JavaScript every operation, field, sample and tab is there, and nothing that would need it', async () => {
  const { page } = await site.visit('/docs', { javaScriptEnabled: false })
  for (const { id } of operations) {
    const { section, sample } = operationOf(page, id)
    expect(await section.locator('.fields dt').first().isVisible()).toBe(true)
    expect(await sample('curl').isVisible()).toBe(true)
    await section.getByRole('radio', { name: 'Python' }).check()
    expect([await sample('curl').isVisible(), await sample('Python').isVisible()]).toEqual([false, true])
  }
  for (const group of (await page.locator('.tabs').all()).slice(0, 5)) {
    const panels = await group.locator('> [data-panel]').all()
    for (const [index, choice] of (await group.getByRole('radio').all()).entries()) {
      await choice.check()
      const shown = await Promise.all(panels.map((panel) => panel.isVisible()))
      expect(shown).toEqual(panels.map((_, panel) => panel === index))
    }
  }
  expect(await page.locator('#error-not-found').isVisible()).toBe(true)
  expect(await page.locator('#adequacy-disclaimer').isVisible()).toBe(true)
  for (const needing of ['#token', '#search', 'form.try', '.copy', '.needs-script']) {
    expect([needing, await page.locator(needing).first().isVisible()]).toEqual([needing, false])
  }
})

it('on a telephone without JavaScript the contents are a button away', async () => {
  const { page } = await site.visit('/docs#list_policies', { javaScriptEnabled: false, viewport: telephone })
  const contents = page.getByRole('navigation', { name: 'Contents' })
  expect(await contents.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Contents' }).click()
  await contents.getByRole('link', { name: '/account' }).click()
  await page.waitForURL('**/docs#get_account')
})

it('on a telephone the form is next to its operation, before the fields', async () => {
  const { page } = await site.visit('/docs#list_items', { viewport: telephone })
  const { section } = operationOf(page, 'list_items')
  const top = async (inside: string) => (await section.locator(inside).first().boundingBox())?.y ?? 0
  expect(await top('form.try')).toBeLessThan(await top('.fields'))
  expect((await top('form.try')) - (await top('h3'))).toBeLessThan(2 * telephone.height)
})

it('in print everything is there, with every sample, and nothing that is pressed', async () => {
  const { page } = await site.visit('/docs')
  await page.fill('#token', newToken())
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  await page.emulateMedia({ media: 'print' })
  for (const { id } of operations) {
    const { sample } = operationOf(page, id)
    for (const language of ['curl', 'JavaScript', 'Python']) expect(await sample(language).isVisible()).toBe(true)
    expect(await sample('Python').innerText()).toContain('Bearer YOUR_TOKEN')
  }
  for (const pressed of ['#token', '#contents', 'form.try', '.copy', 'fieldset']) {
    expect([pressed, await page.locator(pressed).first().isVisible()]).toEqual([pressed, false])
  }
  const cut = await page.evaluate<number>(
    `[...document.querySelectorAll('pre')].filter((pre) => pre.scrollHeight > pre.clientHeight + 1 || pre.scrollWidth > pre.clientWidth + 1).length`,
  )
  expect(cut).toBe(0)
})

it('every “try it” request goes to the origin of the page', async () => {
  const { page, requests } = await site.visit('/docs')
  for (const { id } of operations) await operationOf(page, id).send()
  const paths = requests.map((url) => url.replace(site.origin, ''))
  expect(paths.filter((path) => !path.startsWith('/'))).toEqual([])
  const asset = /^\/docs\/assets\/[0-9a-f]{16}\//
  const kinds = paths.map((path) => path.replace(asset, 'asset ').replace(/^\/v1\/.*/, 'tried'))
  const files = Object.keys(sources).map((name) => `asset ${name}`)
  expect([...new Set(kinds)].toSorted()).toEqual(['/docs', ...files.toSorted(), 'tried'])
})

it.each([
  ['/', 12_000],
  ['/docs', 60_000],
])('a first visit to %s transfers less than %i bytes, and a second one none of the files', async (path, most) => {
  const page = await site.browser.newPage()
  const visits: number[][] = []
  for (const _ of [1, 2]) {
    await page.goto(`${site.origin}${path}`, { waitUntil: 'networkidle' })
    const kinds = `['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))`
    visits.push(await page.evaluate<number[]>(`${kinds}.map(({ transferSize }) => transferSize)`))
    await page.goto('about:blank')
  }
  const [bytes = [], [, ...again] = []] = visits
  expect(bytes.length).toBeGreaterThan(3)
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(most)
  expect(again.filter((each) => each > 0)).toEqual([])
  await page.close()
})

it('the policy is in force: an inline script does not run, another origin is not reached', async () => {
  const { page, complaints } = await site.visit('/docs')
  await page.evaluate(`(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.body.append(script)
    await fetch('http://127.0.0.1:9/').catch(() => {})
  })()`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  const refused = complaints.filter((text) => text.includes('Content Security Policy'))
  expect(refused.some((text) => text.includes('inline script'))).toBe(true)
  expect(refused.some((text) => text.includes('127.0.0.1:9'))).toBe(true)
})

describe('anchors', () => {
  const problems = createProblems(docsUrl)
  const links = (Object.keys(problemDefinitions) as ProblemCode[]).map((code) => problems.body(code, '').type)
  const codes = [problems.body('not_found', '')._meta.documentation_url, ...links].map((url) => new URL(url).hash)
  const others = operations.map(({ id }) => `#${id}`)

  it.each([desktop, telephone])(
    'in a window of $width px the browser lands on the heading of each',
    async (viewport) => {
      expect(new Set(codes).size).toBe(Object.keys(problemDefinitions).length + 1)
      const { page } = await site.visit('/docs#get_item.data.gap_amount', { viewport })
      /** How far an anchor's heading is below what stays at the top of the window. */
      const distanceOf = (anchor: string) =>
        page.evaluate<number>(`(() => {
        location.hash = '${anchor}'
        const element = document.getElementById('${anchor.slice(1)}')
        const heading = element.querySelector('h2, h3') ?? element
        const kept = [...document.querySelectorAll('.site, .bar')].filter((each) => getComputedStyle(each).position === 'sticky')
        const bottoms = kept.map((each) => each.getBoundingClientRect().bottom)
        return heading.getBoundingClientRect().top - Math.max(0, ...bottoms)
      })()`)
      for (const anchor of ['#get_item.data.gap_amount', ...codes, ...others, '#changes-removals', '#first-call']) {
        const distance = await distanceOf(anchor)
        expect({ anchor, lands: distance >= 0 && distance < 60 }).toEqual({ anchor, lands: true })
      }
    },
  )
})

it('the first stop leads past the navigation; a form is sent from a field', async () => {
  const { page } = await site.visit('/docs')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#content')
  const { field, answer, section } = operationOf(page, 'list_items')
  await field('per_page').focus()
  await page.keyboard.press('Enter')
  await answer.locator('.line').waitFor()
  expect(await section.locator('form > [role=status]').innerText()).toBe('Response: 401')
})

it('a search finds fields, operations and errors, by the arrows and Enter', async () => {
  const { page } = await site.visit('/docs')
  const found = async (words: string) => {
    await page.keyboard.press('/')
    await page.fill('#search', words)
    return page.locator('#results a').allInnerTexts()
  }
  expect(await found('policies item')).toContain('Policy assignments of one item')
  expect((await found('em dash')).join()).toContain('category')
  expect((await found('rate_limited'))[0]).toContain('429')
  // Readers of other references search for these words.
  const others = { login: 'Authentication', paginate: 'Pagination', webhooks: 'Keep a copy', throttling: 'Rate limits' }
  for (const [word, section] of Object.entries(others)) expect((await found(word)).slice(0, 3)).toContain(section)
  expect(await found('nonsense')).toEqual([])
  expect(await page.locator('#found').innerText()).toBe('Nothing found')
  expect((await found('gap_amount'))[0]).toContain('gap_amount')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs#get_item.data.gap_amount')
  await page.locator('#search').focus()
  await page.keyboard.press('Escape')
  expect(await page.locator('#all').isVisible()).toBe(true)
})

it('the contents show where one is, also on a telephone', async () => {
  for (const viewport of [desktop, telephone]) {
    const { page } = await site.visit('/docs#list_maintenance', { viewport })
    const marked = page.locator('#contents [aria-current]')
    await expect.poll(() => marked.getAttribute('href')).toBe('#list_maintenance')
    expect(await marked.count()).toBe(1)
    if (viewport === telephone) {
      expect(await page.locator('#current').innerText()).toBe('/maintenance')
      await page.getByRole('button', { name: 'Contents' }).click()
      await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Errors' }).click()
      await expect.poll(() => page.locator('#current').innerText()).toBe('Errors')
    }
  }
})

it('a language that is chosen once is chosen for all samples, by the arrows too', async () => {
  const { page } = await site.visit('/docs')
  await operationOf(page, 'get_policy').section.getByRole('radio', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  for (const id of ['list_items', 'get_policy', 'get_account']) {
    const { sample } = operationOf(page, id)
    expect([await sample('JavaScript').isVisible(), await sample('curl').isVisible()]).toEqual([true, false])
  }
})
