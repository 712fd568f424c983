import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { newToken } from '../http/support.ts'
import { openSite, type Site, type Visit } from './support.ts'

const token = newToken()
let site: Site
let visit: Visit
beforeAll(async () => {
  site = await openSite()
  site.app.answer(() => ({ status: 200, total: '1', data: '{"name":"Neumann U 87 Ai"}' }))
})
afterAll(() => site.close())
beforeEach(async () => {
  site.app.queries.length = 0
  visit = await site.visit('/docs')
})
afterEach(() => visit.close())

/** Opens the first operation, sends its request and gives the answer that is shown. */
async function tryItems(): Promise<string> {
  const { page } = visit
  await page.locator('.operation button').first().click()
  await page.locator('button.send').first().click()
  return page.locator('.live-responses-table').first().innerText()
}

it('a pasted token is sent to this service, and the answer is shown', async () => {
  await visit.page.fill('#token', ` ${token}\n`)
  expect(await visit.page.locator('#token-status').innerText()).toBe('Requests are sent with this token.')
  const shown = await tryItems()
  expect(shown).toContain('200')
  expect(shown).toContain('Neumann U 87 Ai')
  // The app was reached at its own address, though the description names its public one, and without filters nobody chose.
  expect(visit.requests.filter((url) => url.includes('/v1/'))).toEqual([`${site.origin}/v1/items?page=1&per_page=50`])
  expect(site.app.queries.map(({ values }) => values[0])).toEqual([digestOf(token)])
})

it('the token is nowhere but in its field', async () => {
  await visit.page.fill('#token', token)
  await tryItems()
  const { page } = visit
  const kept = await page.evaluate<string>(`(async () => JSON.stringify({
    local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie, name: window.name,
    state: history.state, databases: await indexedDB.databases(), caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }))()`)
  expect(JSON.parse(kept)).toEqual({
    local: {},
    session: {},
    cookie: '',
    name: '',
    state: null,
    databases: [],
    caches: [],
    workers: 0,
  })
  expect(await page.context().cookies()).toEqual([])
  expect(visit.requests.join('\n')).not.toContain(token)
  expect(page.url()).not.toContain(token)
  expect(await page.content()).not.toContain(token)
  expect(await page.locator('.curl-command pre').innerText()).toBe(
    `curl -H "Authorization: Bearer $TOKEN" '${site.origin}/v1/items?page=1&per_page=50'`,
  )
  expect(await page.locator('#token').getAttribute('type')).toBe('password')
})

it('is forgotten on demand, on a reload, and when the page is left and come back to', async () => {
  const { page } = visit
  const value = () => page.locator('#token').inputValue()
  await page.fill('#token', token)
  await page.click('#token-forget')
  expect(await value()).toBe('')
  await page.fill('#token', token)
  await page.reload()
  await page.waitForSelector('.operation')
  expect(await value()).toBe('')
  await page.fill('#token', token)
  await page.goto(`${site.origin}/healthz`)
  await page.goBack()
  await page.waitForSelector('.operation')
  expect(await value()).toBe('')
})

it('without a token the answer is 401, and something that is no token is said to be none', async () => {
  expect(await visit.page.locator('#token-status').innerText()).toBe('Without a token every answer is 401.')
  await visit.page.fill('#token', token.slice(0, -1))
  expect(await visit.page.locator('#token-status').innerText()).toContain('This is not a complete token')
  expect(await tryItems()).toContain('"code": "unauthenticated"')
  expect(site.app.queries).toEqual([])
})

it('parameters are sent as they were filled in', async () => {
  const { page } = visit
  await page.fill('#token', token)
  await page.locator('.operation button').first().click()
  await page.getByLabel('category').fill('Outboard — Dynamics & EQ')
  await page.getByLabel('coverage_state').selectOption('uninsured')
  await page.getByLabel('per_page').fill('7')
  await page.locator('button.send').click()
  await page.waitForSelector('.live-responses-table')
  expect(site.app.queries[0]?.values.slice(1, 6)).toEqual([1, 7, 'Outboard — Dynamics & EQ', 'uninsured', null])
})

it('a required parameter that is missing is said, and nothing is sent', async () => {
  const { page } = visit
  await page.locator('.operation button').nth(1).click()
  await page.getByLabel('id', { exact: true }).fill('')
  await page.locator('button.send').click()
  await page.waitForSelector('.field [role=alert]')
  expect(await page.getByLabel('id', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(visit.requests.filter((url) => url.includes('/v1/'))).toEqual([])
})
