import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSite, type Site } from './support.ts'
import { firstVisit } from './visits.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

it.each([
  ['/', 12_000],
  ['/docs', 60_000],
])('a first visit to %s transfers less than %i bytes', async (path, most) => {
  const { bytes, files } = await firstVisit(site, path)
  expect(files).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(most)
})
