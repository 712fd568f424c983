import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { itemId, newToken } from '../http/support.ts'
import { openSite, operationOf, type Site, type Visit } from './support.ts'

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
  await visit.page.fill('#token', newToken())
})
afterEach(() => visit.close())

it('parameters are sent as they were filled in, and the samples have them too', async () => {
  const { field, send, sample, answer } = operationOf(visit.page, 'list_items')
  await field('category').fill('Outboard — Dynamics & EQ')
  await field('coverage_state').fill('uninsured')
  await field('per_page').fill('7')
  await send()
  expect(site.app.queries[0]?.values).toEqual(expect.arrayContaining([7, 'Outboard — Dynamics & EQ', 'uninsured']))
  const query = 'per_page=7&category=Outboard%20%E2%80%94%20Dynamics%20%26%20EQ&coverage_state=uninsured'
  // The address that was asked is the one of the address bar; the samples have the one that others reach.
  expect(await answer.locator('.asked').innerText()).toBe(`GET ${site.origin}/v1/items?${query}`)
  for (const language of ['curl', 'JavaScript', 'Python']) {
    expect(await sample(language).textContent()).toContain(`'https://api.example.com/v1/items?${query}'`)
  }
})

it('what is wrong is sent as well, and the service says so', async () => {
  const { field, send, answer } = operationOf(visit.page, 'list_items')
  await field('per_page').fill('many')
  await field('coverage_state').fill("covered'")
  await send()
  const text = await answer.innerText()
  expect(text).toContain('400 Bad Request')
  expect(text).toContain('per_page must be a whole number of at least 1.')
  expect(text).toContain('coverage_state must be one of fully_covered')
  expect(visit.requests.at(-1)).toBe(`${site.origin}/v1/items?per_page=many&coverage_state=covered%27`)
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
