import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { sources } from '../../src/apps/docs/routes.ts'
import { openSite, operationOf, type Site } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

it('every request goes to the origin of the page, whatever is tried', async () => {
  const { page, requests, close } = await site.visit('/docs')
  for (const { id } of operations) await operationOf(page, id).send()
  const paths = requests.map((url) => url.replace(site.origin, ''))
  expect(paths.filter((path) => !path.startsWith('/'))).toEqual([])
  const kinds = paths.map((path) =>
    path.replace(/^\/docs\/assets\/[0-9a-f]{16}\//, 'asset ').replace(/^\/v1\/.*/, 'tried'),
  )
  const files = Object.keys(sources).map((name) => `asset ${name}`)
  expect([...new Set(kinds)].toSorted()).toEqual(['/docs', ...files.toSorted(), 'tried'])
  await close()
})

it('a second visit fetches none of the files again, and the page only when it has changed', async () => {
  const page = await site.browser.newPage()
  const visits: number[][] = []
  const statuses: number[] = []
  page.on('response', (response) => void (response.url().endsWith('/docs') && statuses.push(response.status())))
  for (const _ of [1, 2]) {
    await page.goto(`${site.origin}/docs`, { waitUntil: 'networkidle' })
    const sizes = await page.evaluate<number[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ transferSize }) => transferSize)`,
    )
    visits.push(sizes)
    await page.goto('about:blank')
  }
  const [first = [], second = []] = visits
  expect(first.length).toBeGreaterThan(7)
  expect(first.filter((bytes) => bytes > 0)).not.toEqual([])
  expect(second.filter((bytes) => bytes > 0)).toEqual([])
  const [page200] = statuses
  expect(page200).toBe(200)
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
