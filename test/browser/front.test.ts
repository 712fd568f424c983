import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { look, openSite, type Site } from './support.ts'

let site: Site
let unready: Site
beforeAll(async () => {
  const publicUrl = 'https://api.example.com'
  const options = {
    config: { publicUrl, docsUrl: `${publicUrl}/docs` },
    console: express.Router(),
    graphql: { url: 'https://graphql.example.com/graphql', ide: 'https://graphql.example.com/' },
  }
  site = await openSite(options)
  unready = await openSite({ ...options, ready: async () => ({ ready: false, reason: 'the database is away' }) })
})
afterAll(() => Promise.all([site?.close(), unready?.close()]))

it('axe finds nothing, nothing is complained of, and no other host is asked', async () => {
  const { page, complaints, requests } = await site.visit('/')
  await look(page, 'front')
  expect(complaints).toEqual([])
  expect(requests.filter((url) => !url.startsWith(`${site.origin}/`))).toEqual([])
})

it('axe finds nothing while the service is not ready, which the page says', async () => {
  const { page } = await unready.visit('/')
  await page.getByText('The service is temporarily unavailable').waitFor()
  await look(page, 'front-unready')
})

it('without JavaScript and with the keyboard one is led to the documentation', async () => {
  const { page } = await site.visit('/', { javaScriptEnabled: false })
  expect(await page.getByText('a form to try').isVisible()).toBe(false)
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Skip to the content')
  await page.getByRole('link', { name: 'Reference' }).last().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.origin}/docs`)
})

it('the first call is copied with a button', async () => {
  const { page } = await site.visit('/', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy List items, with curl' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toContain('curl -H "Authorization: Bearer $TOKEN"')
  expect(copied).toContain("'https://api.example.com/v1/items?per_page=5'")
})

it('an address of the API that is opened without a token shows the problem, readable', async () => {
  const { page, requests } = await site.visit('/v1/items')
  const text = await page.locator('body').innerText()
  expect(JSON.parse(text)).toMatchObject({ code: 'unauthenticated' })
  expect(text.split('\n').length).toBeGreaterThan(10)
  expect(requests).toContain(`${site.origin}/v1/items`)
})
