import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { newToken } from '../http/support.ts'
import { openSite, operationOf, type Site, type Visit } from './support.ts'

const token = newToken()
let site: Site
let visit: Visit
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())
beforeEach(async () => {
  site.app.queries.length = 0
  visit = await site.visit('/docs')
})
afterEach(() => visit.close())

const status = () => visit.page.locator('#token-status').textContent()

it('a pasted token is sent to this service, and to no other', async () => {
  await visit.page.fill('#token', ` ${token}\n`)
  expect(await status()).toBe('Requests are sent with this token, and the samples have it.')
  await operationOf(visit.page, 'list_items').send()
  // The app was reached at its own address, though the description names its public one.
  expect(visit.requests.filter((url) => url.includes('/v1/'))).toEqual([`${site.origin}/v1/items?per_page=2`])
  expect(site.app.queries.map(({ values }) => values[0])).toEqual([digestOf(token)])
})

it('the samples are filled in with it, ready to be copied, until it is forgotten', async () => {
  const { page } = visit
  const samples = ['curl', 'JavaScript', 'Python'].map((language) => operationOf(page, 'get_account').sample(language))
  const texts = () => Promise.all(samples.map((sample) => sample.textContent()))
  const before = await texts()
  await page.fill('#token', token)
  for (const text of await texts()) expect(text).toContain(`Bearer ${token}`)
  expect(await page.locator('#first-call').textContent()).toContain(`export TOKEN='${token}'`)
  await page.fill('#token', token.slice(0, -1))
  expect(await texts()).toEqual(before)
  await page.fill('#token', token)
  await page.click('#token-forget')
  expect(await texts()).toEqual(before)
})

it('the token is nowhere but in its field and in the samples', async () => {
  const { page } = visit
  await page.fill('#token', token)
  await operationOf(page, 'list_items').send()
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
  const elsewhere = await page.evaluate<string>(`(() => {
    const copy = document.documentElement.cloneNode(true)
    for (const sample of copy.querySelectorAll('[data-token]')) sample.remove()
    return copy.outerHTML
  })()`)
  expect(elsewhere).not.toContain(token)
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
  expect(await value()).toBe('')
  await page.fill('#token', token)
  await page.goto(`${site.origin}/healthz`)
  await page.goBack()
  expect(await value()).toBe('')
  expect(await page.content()).not.toContain(token)
})
