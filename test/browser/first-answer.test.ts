import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createToken, type Demo, openDemo, runQuery } from './demo.ts'
import { operationOf } from './support.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

/** Runs a line that somebody pastes into a terminal. */
const inShell = (command: string) =>
  promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env.PATH } }).then(({ stdout }) => stdout)

/** Follows links and buttons, and counts them. */
function clicking() {
  const clicked: string[] = []
  return {
    clicked,
    async click(what: Locator) {
      clicked.push((await what.innerText()).trim())
      await what.click()
    },
  }
}

it('a stranger who opens / has an answer of the API after three clicks at most', async () => {
  const { page } = await demo.open()
  const { click, clicked } = clicking()
  await page.goto(demo.origin)
  await click(page.getByRole('main').getByRole('link', { name: 'Reference', exact: true }))
  const { section, answer } = operationOf(page, 'list_items')
  await click(section.getByRole('button', { name: 'Send request' }))
  await answer.locator('.line').getByText('200').waitFor()
  expect(await answer.innerText()).toMatch(/"data": \[\s+\{\s+"id": "[0-9a-f-]{36}"/)
  expect(clicked.length, clicked.join(', ')).toBeLessThanOrEqual(3)
})

it('a stranger who opens / sees what a studio is worth, and its items, after three clicks', async () => {
  const { page } = await demo.open()
  const { click, clicked } = clicking()
  await page.goto(demo.origin)
  await click(page.getByRole('main').getByRole('link', { name: 'Console', exact: true }))
  await click(page.getByRole('button', { name: 'Imogen Hart' }))
  await page.locator('.figures').getByText('Value', { exact: true }).waitFor()
  await click(page.getByRole('link', { name: 'Items', exact: true }))
  await page.getByRole('heading', { name: 'Items', level: 1 }).waitFor()
  expect(await page.locator('tbody tr').count()).toBeGreaterThan(10)
  expect(clicked).toEqual(['Console', 'Imogen Hart', 'Items'])
})

it('somebody with only the address of / makes a first call by links and buttons', async () => {
  const { page } = await demo.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(demo.origin)
  await page.getByRole('main').getByRole('link', { name: 'Console', exact: true }).click()
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await createToken(page, 'My first token')
  await page.getByRole('button', { name: 'Copy First call' }).click()
  await page.getByText('Copied.').waitFor()
  const answer = await inShell(`${await page.evaluate<string>('navigator.clipboard.readText()')} -sS`)
  expect(JSON.parse(answer)).toMatchObject({ data: [{ id: expect.any(String) }], meta: { per_page: 1 } })

  await page.getByRole('link', { name: 'the first call' }).click()
  await page.waitForURL(/\/docs#first-call$/)
  expect(await page.getByRole('heading', { name: 'First call' }).isVisible()).toBe(true)
  const command = (await page.locator('[data-example="create-token"]').textContent()) ?? ''
  expect(await inShell(command)).toMatch(/^svc_studio_\w+$/m)
})

it('a new token is tried in the browser, and no address has it', async () => {
  const { page, requests, complaints } = await demo.as('owner')
  const token = await createToken(page, 'Tried at once')
  await page.getByRole('link', { name: 'Try it in the browser' }).click()
  await page.waitForURL(/\/docs#list_items-samples$/)
  expect(await page.locator('#token').inputValue()).toBe(token)
  await page.locator('#list_items-samples').getByRole('button', { name: 'Send request' }).click()
  await page.locator('#list_items-samples .answer .line').getByText('200').waitFor()
  expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(token)
  expect(requests.join('\n')).not.toContain(token.slice(-28))
  expect(complaints).toEqual([])
})

it('the page of GraphQL has the schema and runs a query at once in the demo, stores nothing, and reaches no other host', async () => {
  const address = /^ {2}GraphQL +(\S+)/m.exec(demo.log())?.[1] ?? ''
  // It starts a little later than the API.
  await vi.waitFor(() => fetch(address), { timeout: 60_000, interval: 50 })
  const { page, requests, complaints } = await demo.open()
  await page.goto(address)
  await runQuery(page)

  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain('eyJ')
  expect(requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'))).toEqual([])
  expect(complaints).toEqual([])

  await page.evaluate(`(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.body.append(script)
    await fetch('http://127.0.0.1:9/').catch(() => {})
  })()`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(1)
})
