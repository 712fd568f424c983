import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGraphql } from '../graphql/support.ts'
import { type Demo, openDemo } from './demo.ts'
import { desktop, findings, look, overflow } from './support.ts'
import { firstVisit } from './visits.ts'

let demo: Demo
let address: string
beforeAll(async () => {
  demo = await openDemo()
  address = /GraphQL at (\S+)graphql,/.exec(demo.log())?.[1] ?? ''
})
afterAll(() => demo?.close())

const narrow = { width: 390, height: 844 }
const answerOf = (page: Page) => page.locator('[data-example="answer"]')
const stateOf = (page: Page) => page.locator('.line')
const schemaLoaded = (page: Page) => page.locator('#type-Query').waitFor({ timeout: 30_000 })

async function open(options: Parameters<Demo['open']>[0] = {}) {
  const opened = await demo.open(options)
  await opened.page.goto(address)
  return opened
}

it('in the demo the first query is answered at once, and nothing of the identity is stored', async () => {
  const { page, requests, complaints } = await open()
  await page.getByRole('button', { name: 'Run' }).click()
  await expect.poll(() => answerOf(page).innerText(), { timeout: 30_000 }).toContain('"name": "Northlight Studios"')
  expect(await answerOf(page).innerText()).toMatch(/"currentEstimatedValue": "\d+\.\d\d"/)
  expect(await stateOf(page).innerText()).toMatch(/^Answered in \d+ ms, /)
  const stored = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
  )
  expect(stored).toBe('[{},{},""]')
  expect(await page.locator('#token').inputValue()).toBe('')
  expect(requests.filter((url) => !url.startsWith(address))).toEqual([])
  expect(complaints).toEqual([])
})

it('works with the keyboard alone: example, query, Ctrl+Enter, an error that leads to its place', async () => {
  const { page } = await open()
  await page.locator('#example').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').innerText()).toBe('Run')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => answerOf(page).innerText(), { timeout: 30_000 }).toContain('fully_covered')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('{\n  items { totalCounts }\n}')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect.poll(() => stateOf(page).innerText()).toMatch(/^Error 400 in/)
  expect(await page.locator('.problems').innerText()).toContain('Did you mean "totalCount"?')
  await page.getByRole('button', { name: 'Line 2, column 11' }).focus()
  await page.keyboard.press('Enter')
  expect(await page.evaluate('getSelection().toString()')).toBe('totalCounts')
})

it('variables are checked before they are sent', async () => {
  const { page } = await open()
  await page.locator('#example').selectOption({ label: 'What was bought in each month of a year?' })
  await page.locator('#variables').press('ControlOrMeta+Enter')
  await expect.poll(() => answerOf(page).innerText(), { timeout: 30_000 }).toContain('2025-01-01')
  await page.fill('#variables', '{ "from": ')
  await page.locator('#variables').press('ControlOrMeta+Enter')
  expect(await stateOf(page).innerText()).toMatch(/^Not sent: the variables are not JSON/)
})

it('the schema can be searched, and its types lead to each other', async () => {
  const { page } = await open()
  await schemaLoaded(page)
  await page.fill('#find', 'item gap amount')
  await page.fill('#find', 'gapamount')
  await page.locator('#found').getByRole('link', { name: 'Item.gapAmount', exact: true }).click()
  const item = page.locator('#type-Item')
  expect(await item.getAttribute('open')).not.toBeNull()
  expect(await item.locator('dt', { hasText: 'gapAmount' }).first().innerText()).toMatch(/^gapAmount: Decimal/)
  await item.getByRole('link', { name: 'Location', exact: true }).first().click()
  expect(await page.locator(':focus').innerText()).toMatch(/^Location/)
})

it('a search shows what has the word in its own name before the fields of a type that has it', async () => {
  const { page } = await open()
  await schemaLoaded(page)
  await page.fill('#find', 'value')
  const names = await page.locator('#found a').allInnerTexts()
  expect(names).toContain('Item.currentEstimatedValue')
  expect(names.filter((name) => /^ClosedValue\.(?!.*value)/i.test(name))).toEqual([])
  expect(await page.locator('#schema-state').innerText()).toMatch(/^\d+ found, the first 30 are shown\.$/)
  await page.fill('#find', 'date')
  expect(await page.locator('#found a').first().innerText()).toBe('Date')
})

it('an identity that is typed is used, described, and forgotten', async () => {
  const { page } = await open()
  const token = (await demo.cli('analyst', 'token', '--studio', 'Kanal 9 Tonstudio')).stdout.trim()
  await page.fill('#token', 'svc_studio_x')
  expect(await page.locator('#token-status').innerText()).toContain('This is an API token')
  await page.fill('#token', token)
  expect(await page.locator('#token-status').innerText()).toContain('valid until')
  await page.locator('#query').press('ControlOrMeta+Enter')
  await expect.poll(() => answerOf(page).innerText(), { timeout: 30_000 }).toContain('Kanal 9 Tonstudio')
  await page.fill('#token', 'a.b.c')
  await page.locator('#query').press('ControlOrMeta+Enter')
  await expect.poll(() => stateOf(page).innerText()).toMatch(/^Error 401/)
  await page.getByRole('button', { name: 'Forget' }).click()
  expect(await page.locator('#token').inputValue()).toBe('')
  await page.fill('#token', token)
  await page.goto('about:blank')
  await page.goBack()
  expect(await page.locator('#token').inputValue()).toBe('')
})

it('the policy is in force: an inline script does not run, another origin is not reached', async () => {
  const { page, complaints } = await open()
  await page.evaluate(`(async () => {
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.body.append(script)
    await fetch('http://127.0.0.1:9/').catch(() => {})
  })()`)
  expect(await page.evaluate('window.ran')).toBeUndefined()
  expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(1)
})

it('without JavaScript it shows how to ask with curl, and nothing that would need scripts', async () => {
  const { page } = await open({ javaScriptEnabled: false })
  expect(await page.locator('[data-example="curl"]').isVisible()).toBe(true)
  expect(await page.locator('[data-example="identity"]').isVisible()).toBe(true)
  expect(await page.locator('main').innerText()).toContain('JavaScript, which is off')
  for (const needing of ['form.ask', '#token', '#find', '.copy', '.needs-script']) {
    expect([needing, await page.locator(needing).first().isVisible()]).toEqual([needing, false])
  }
})

const appearances = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [desktop, narrow].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} px` })),
)

describe.each(appearances)('in $name', ({ colorScheme, viewport }) => {
  it('axe finds nothing and nothing is wider than the window: at first, with an answer, an error, a search and a type', async () => {
    const { page } = await open({ colorScheme, viewport })
    const look = async () => expect([await findings(page, 10), await overflow(page)]).toEqual([[], 0])
    await schemaLoaded(page)
    await look()
    await page.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => answerOf(page).innerText(), { timeout: 30_000 }).toContain('Northlight')
    await page.fill('#find', 'value')
    await page.fill('#token', 'svc_studio_x')
    await look()
    await page.fill('#find', '')
    await page.locator('#type-Query summary').click()
    await page.fill('#query', '{ items { nodes { x } } }')
    await page.fill('#token', '')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('.problems li').first().waitFor()
    await look()
  })
})

it('axe finds nothing outside the demo: without an identity, with one that is none, and with an answer', async () => {
  const nowhere = 'postgresql://nobody@127.0.0.1:1/none'
  const outside = await startGraphql({ urlFor: () => nowhere }, { databaseUrl: nowhere })
  try {
    const { page } = await demo.open()
    await page.goto(`http://127.0.0.1:${outside.port}/`)
    await look(page, 'graphql-outside')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => stateOf(page).innerText()).toMatch(/^Error 401/)
    await page.fill('#token', 'a.b')
    await look(page, 'graphql-outside-refused')
  } finally {
    await outside.stop()
  }
})

it('a long line of an answer wraps, and nothing of the page is wider than its box', async () => {
  const { page } = await open({ viewport: narrow })
  await page.fill('#query', `{ account { ${'n'.repeat(200)} } }`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.locator('.problems li').first().waitFor()
  const wider = await page.evaluate(
    `[...document.querySelectorAll('main pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length`,
  )
  expect(wider).toBe(0)
})

it('a first visit transfers less than 45 kB, the schema of the demo included', async () => {
  const { bytes, files } = await firstVisit(demo, address)
  expect(files).toBeGreaterThan(5)
  expect(bytes).toBeLessThan(45_000)
})
