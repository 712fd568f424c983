import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { itemId, newToken } from '../http/support.ts'
import { openSite, operationOf, type Site, type Visit } from './support.ts'

const token = newToken()
const item = '{"name":"AEA R84","purchase_price":1115.00,"photo_urls":["https://photos.example.com/a?b=1&c=2"]}'
let site: Site
let visit: Visit
beforeAll(async () => {
  site = await openSite()
  site.app.answer(() => ({ status: 200, total: '1', data: item }))
})
afterAll(() => site.close())
beforeEach(async () => {
  site.app.queries.length = 0
  visit = await site.visit('/docs')
  await visit.page.fill('#token', token)
})

it('a pasted token is sent to this service, and to no other', async () => {
  await visit.page.fill('#token', ` ${token}\n`)
  const status = 'Requests are sent with this token, and samples are copied with it.'
  expect(await visit.page.locator('#token-status').textContent()).toBe(status)
  await operationOf(visit.page, 'list_items').send()
  // The request went to the app's own address, although the description names the public one.
  expect(visit.requests.filter((url) => url.includes('/v1/'))).toEqual([`${site.origin}/v1/items?per_page=2`])
  // PostgreSQL is asked about this token alone: to find its studio, then to read.
  for (const { values } of site.app.queries) expect(values[0]).toEqual(digestOf(token))
  expect(site.app.queries).toHaveLength(2)
})

it('the samples show its beginning and are copied with all of it, until it is forgotten', async () => {
  const { page } = visit
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const shown = `${token.slice(0, 'svc_studio_'.length + 4)}…`
  const samples = ['curl', 'JavaScript', 'Python'].map((language) => operationOf(page, 'get_account').sample(language))
  const texts = () => Promise.all(samples.map((sample) => sample.textContent()))
  await page.click('#token-forget')
  const before = await texts()
  await page.fill('#token', token)
  for (const text of await texts()) expect(text).toContain(`Bearer ${shown}`)
  expect(await page.locator('#first-call').textContent()).toContain(`export TOKEN='${shown}'`)
  await operationOf(page, 'get_account').section.locator('[data-copy]').first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`Bearer ${token}`)
  await page.fill('#token', token.slice(0, -1))
  expect(await texts()).toEqual(before)
  await page.fill('#token', token)
  await page.click('#token-forget')
  expect(await texts()).toEqual(before)
})

it('the token is nowhere but in its field and in the samples', async () => {
  const { page } = visit
  await operationOf(page, 'list_items').send()
  const kept = await page.evaluate<string>(`(async () => JSON.stringify({
    local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie, name: window.name,
    state: history.state, databases: await indexedDB.databases(), caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }))()`)
  const nothing = { local: {}, session: {}, cookie: '', name: '', state: null, databases: [], caches: [], workers: 0 }
  expect(JSON.parse(kept)).toEqual(nothing)
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

it('parameters are sent as they were filled in, and the samples have them too', async () => {
  const { field, send, sample, answer } = operationOf(visit.page, 'list_items')
  await field('category').fill('Outboard — Dynamics & EQ')
  await field('coverage_state').selectOption('uninsured')
  await field('per_page').fill('7')
  await send()
  expect(site.app.queries[0]?.values).toEqual(expect.arrayContaining([7, 'Outboard — Dynamics & EQ', 'uninsured']))
  const query = 'per_page=7&category=Outboard%20%E2%80%94%20Dynamics%20%26%20EQ&coverage_state=uninsured'
  // The request goes to the address bar's address; the samples have the one that others reach.
  expect(await answer.locator('.asked').innerText()).toBe(`GET ${site.origin}/v1/items?${query}`)
  for (const language of ['curl', 'JavaScript', 'Python']) {
    expect(await sample(language).textContent()).toContain(`'https://api.example.com/v1/items?${query}'`)
  }
})

it("sends wrong values, too, and shows the service's error", async () => {
  const { field, send, answer } = operationOf(visit.page, 'list_items')
  await field('per_page').fill('many')
  await send()
  const text = await answer.innerText()
  expect(text).toContain('400 Bad Request')
  expect(text).toContain('per_page must be a whole number of at least 1.')
  expect(visit.requests.at(-1)).toBe(`${site.origin}/v1/items?per_page=many`)
})

it('code is coloured as soon as it is seen, and again when an answer comes', async () => {
  const { page } = visit
  const coloured = (kind: string, text: string) =>
    page.evaluate<boolean>(
      `[...(CSS.highlights.get('code-${kind}') ?? [])].some((range) => String(range) === '${text}')`,
    )
  await expect.poll(() => coloured('word', 'curl')).toBe(true)
  expect(await coloured('string', '"AEA R84"')).toBe(false)
  await operationOf(page, 'get_item').send()
  await expect.poll(() => coloured('string', '"AEA R84"')).toBe(true)
})

it('an answer is shown as it came: amounts with their decimals, and addresses of photos as links', async () => {
  const { field, send, answer } = operationOf(visit.page, 'get_item')
  await field('id').fill(itemId)
  await send()
  const text = await answer.innerText()
  expect(text).toMatch(/^200 OK\s*\d+ ms · \d/)
  expect(text).toContain('"purchase_price": 1115.00')
  expect(text).toContain('X-Request-Id: ')
  const photo = answer.getByRole('link', { name: 'https://photos.example.com' })
  expect(await photo.getAttribute('href')).toBe('https://photos.example.com/a?b=1&c=2')
  expect(await photo.getAttribute('rel')).toBe('noreferrer')
})

it('a conditional request is answered with 304, and the samples have its header', async () => {
  const { field, send, sample, answer } = operationOf(visit.page, 'get_account')
  site.app.answer(() => ({ status: 200, data: '{}', version: '3d7e2f5b-0c55-4a4e-8f0a-6e2a0c1c9d11/1/2026-03-02' }))
  await send()
  const [, tag = ''] = /ETag: (\S+)/.exec(await answer.innerText()) ?? []
  await field('If-None-Match').fill(tag)
  await send()
  await expect.poll(() => answer.locator('.line').innerText()).toContain('304')
  expect(await sample('curl').textContent()).toContain(`-H 'If-None-Match: ${tag}' \\\n`)
  expect(await sample('Python').textContent()).toContain(`'If-None-Match': '${tag}',\n`)
  site.app.answer(() => ({ status: 200, total: '1', data: item }))
})
