import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Demo, openDemo, runWithIdentity } from './demo.ts'

let demo: Demo
let address: string
beforeAll(async () => {
  demo = await openDemo()
  // The line is printed once it answers.
  const line = () => /GraphQL at (\S+)graphql,/.exec(demo.log())?.[1]
  address = await vi.waitUntil(line, { timeout: 30_000, interval: 50 })
})
afterAll(() => demo?.close())

it('the page of GraphQL runs a query with an identity in its headers, stores none, and reaches no other host', async () => {
  const { page, requests, complaints } = await demo.open()
  const { stdout } = await demo.cli('analyst', 'token', '--studio', 'Northlight Studios')
  await page.goto(address)
  await runWithIdentity(page, stdout.trim())

  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain(stdout.trim())
  expect(requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
  // What it complains of is that the first reading of the schema has no identity yet.
  expect(complaints.filter((text) => !text.endsWith('401 (Unauthorized)'))).toEqual([])

  await page.evaluate(`(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.body.append(script)
    await fetch('http://127.0.0.1:9/').catch(() => {})
  })()`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(1)
})
