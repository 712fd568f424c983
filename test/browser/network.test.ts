import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSite, type Site, unfold } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

it('every request goes to the origin of the page, whatever is unfolded and tried', async () => {
  const { page, requests, close } = await site.visit('/docs')
  await unfold(page)
  const paths = requests.map((url) => url.replace(site.origin, ''))
  expect(paths.filter((path) => !path.startsWith('/'))).toEqual([])
  const kinds = paths.map((path) =>
    path.replace(/^\/docs\/assets\/[0-9a-f]{16}\//, 'asset ').replace(/^\/v1\/.*/, 'tried'),
  )
  expect([...new Set(kinds)].toSorted()).toEqual([
    '/docs',
    '/openapi.json',
    'asset answers.js',
    'asset components.js',
    'asset controls.js',
    'asset description.js',
    'asset docs.css',
    'asset icon.svg',
    'asset interactive.js',
    'asset swagger-ui.js',
    'asset token.js',
    'tried',
  ])
  await close()
})

it('a second visit fetches none of the files again', async () => {
  // Without `visit`: a page whose requests are rewritten has no cache.
  const page = await site.browser.newPage()
  const visits: number[][] = []
  for (const path of ['/docs', '/docs?again']) {
    await page.goto(`${site.origin}${path}`)
    await page.waitForSelector('.operation')
    const sizes = await page.evaluate<number[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ transferSize }) => transferSize)`,
    )
    visits.push(sizes)
  }
  const [first = [], second = []] = visits
  expect(first.length).toBeGreaterThan(8)
  expect(first.filter((bytes) => bytes > 0)).not.toEqual([])
  expect(second.filter((bytes) => bytes > 0)).toEqual([])
  await page.close()
})

it('the policy is in force: an inline script does not run, another origin is not reached', async () => {
  const { page, complaints, close } = await site.visit('/docs')
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
  await close()
})
