import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { createProblems, type ProblemCode, problemDefinitions } from '../../src/http/problems.ts'
import { docsUrl } from '../http/support.ts'
import { desktop, openSite, type Site, telephone, type Visit } from './support.ts'

const problems = createProblems(docsUrl)
const links = (Object.keys(problemDefinitions) as ProblemCode[]).map((code) => problems.body(code, '').type)
const anchors = [problems.body('not_found', '')._meta.documentation_url, ...links].map((url) => new URL(url).hash)
const others = [
  ...operations.map(({ id }) => `#${id}`),
  '#get_item.data.gap_amount',
  '#changes-removals',
  '#first-call',
]

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

/** How far the heading of what an anchor names is below what stays at the top of the window. */
function distanceOf(page: Page, anchor: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const element = document.getElementById('${anchor.slice(1)}')
    const heading = element.querySelector('h2, h3') ?? element
    const kept = [...document.querySelectorAll('.site, .bar')].filter((each) => getComputedStyle(each).position === 'sticky')
    const bottoms = kept.map((each) => each.getBoundingClientRect().bottom)
    return heading.getBoundingClientRect().top - Math.max(0, ...bottoms)
  })()`)
}

describe.each([desktop, telephone])('in a window of $width px', (viewport) => {
  let visit: Visit
  beforeAll(async () => {
    visit = await site.visit('/docs', { viewport })
  })
  afterAll(() => visit.close())

  it.each([...anchors, ...others])('the browser lands on %s', async (anchor) => {
    const { page } = visit
    await page.goto('about:blank')
    await page.goto(`${site.origin}/docs${anchor}`)
    // At the top: whoever comes sees the heading first.
    const distance = await distanceOf(page, anchor)
    expect(distance).toBeGreaterThanOrEqual(0)
    expect(distance).toBeLessThan(60)
  })
})

it('there is an anchor for every code and one for the disclaimers', () => {
  expect(new Set(anchors).size).toBe(Object.keys(problemDefinitions).length + 1)
  expect(anchors[0]).toBe('#adequacy-disclaimer')
})

it('a heading leads to itself, for links that are passed on', async () => {
  const { page, close } = await site.visit('/docs')
  await page.getByRole('link', { name: 'List locations', exact: true }).click()
  await page.waitForURL('**/docs#list_locations')
  await close()
})
