import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProblems, type ProblemCode, problemDefinitions } from '../../src/http/problems.ts'
import { docsUrl } from '../http/support.ts'
import { desktop, openSite, placeOf, type Site, telephone } from './support.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

const problems = createProblems(docsUrl)
const links = (Object.keys(problemDefinitions) as ProblemCode[]).map((code) => JSON.parse(problems.body(code, '')).type)
const anchors = [JSON.parse(problems.body('not_found', ''))._meta.documentation_url, ...links].map(
  (url) => new URL(url).hash,
)

it.each(anchors)('the browser lands on %s, and stays when the interactive part comes', async (anchor) => {
  for (const viewport of [desktop, telephone]) {
    const { page, close } = await site.visit(`/docs${anchor}`, { viewport, wait: false, delayMs: 300 })
    const early = await placeOf(page, anchor.slice(1))
    await page.waitForSelector('.operation')
    const late = await placeOf(page, anchor.slice(1))
    // At the top: whoever comes sees the paragraph first.
    expect(late.top).toBeGreaterThanOrEqual(0)
    expect(late.top).toBeLessThan(60)
    expect(Math.abs(late.top - early.top)).toBeLessThan(2)
    await close()
  }
})

it('there is an anchor for every code and one for the disclaimers', () => {
  expect(new Set(anchors).size).toBe(Object.keys(problemDefinitions).length + 1)
  expect(anchors[0]).toBe('#adequacy-disclaimer')
})
