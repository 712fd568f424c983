import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardOf, createToken, type Demo, openDemo, ownSpreadsheet } from './demo.ts'
import { look as lookAt } from './support.ts'

let demo: Demo
let page: Page
let tokens: string
beforeAll(async () => {
  demo = await openDemo()
  page = (await demo.open({ reducedMotion: 'reduce' })).page
})
afterAll(() => demo.close())

const look = (state: string) => lookAt(page, state)
/** Opens a page of the studio, and looks at it. */
async function open(name: string, state?: string): Promise<void> {
  await page.goto(tokens.replace(/tokens$/, name))
  if (state) await look(state)
}
/** Presses a button, and looks at the page once this is there. */
async function press(name: string, comes: Locator | string, state?: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await (typeof comes === 'string' ? page.getByText(comes) : comes).first().waitFor()
  if (state) await look(state)
}
const heading = (name: string, more = {}) => page.getByRole('heading', { name, ...more })

async function signIn(name: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(`${demo.origin}/console`)
  await page.getByRole('button', { name }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** axe finds nothing on any of these, and nothing is wider than the window. */
it('the sign-in, a new token, and the list of tokens', async () => {
  await page.goto(`${demo.origin}/console`)
  await look('sign-in')
  await signIn('Imogen Hart')
  tokens = page.url().replace(/overview$/, 'tokens')
  await page.goto(tokens)
  await createToken(page, `Inventory sync ${'of everything '.repeat(6)}`.trim())
  await look('created')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await createToken(page, 'Scoped', 'Callum Byrne (callum@northlight.example, member)')
  await page.goto(tokens)
  await look('tokens')
  await page.getByRole('link', { name: 'New token' }).click()
  await look('new-token')
  await page.getByLabel('Name').fill(' '.repeat(3))
  await page.getByLabel('Expiration').selectOption('date')
  await page.getByLabel('Allowed IP addresses').fill('office, 203.0.113.0/33')
  await press('Create token', page.getByRole('alert'), 'refused')
})

it('what the studio has: overview, items, an item, policies, a policy, maintenance', async () => {
  const first = 'main tbody a'
  for (const name of ['overview', 'items', 'policies', 'maintenance']) await open(name, name)
  await open('items?without=serial&order=value', 'items-found')
  for (const name of ['items?q=vintage', 'policies']) {
    await open(name)
    await page.locator(first).first().click()
    await page.getByRole('link', { name: /^All (items|policies)$/ }).waitFor()
    await look(`one-of-${name.replace(/\?.*/, '')}`)
  }
  await page.getByRole('link', { name: 'Items', exact: true }).click()
  await page.getByLabel('Search', { exact: true }).fill('no such thing')
  await page.keyboard.press('Enter')
  await page.getByText('No item matches.').waitFor()
})

it('without a script a member finds an item and its policy, and goes on with the keyboard alone', async () => {
  const plain = (await demo.open({ javaScriptEnabled: false })).page
  const follow = async (name: string | RegExp, at: RegExp) => {
    await plain.getByRole('link', { name }).first().focus()
    await plain.keyboard.press('Enter')
    await plain.waitForURL(at)
  }
  await plain.goto(`${demo.origin}/console`)
  await plain.getByRole('button', { name: 'Callum Byrne' }).press('Enter')
  await plain.getByRole('heading', { name: 'Needs attention' }).waitFor()
  await follow('Items', /\/items$/)
  await plain.getByLabel('Category').selectOption('Microphones')
  await plain.getByLabel('Search', { exact: true }).fill('neumann')
  await plain.keyboard.press('Enter')
  await plain.waitForURL(/q=neumann&category=Microphones/)
  await follow(/Neumann/, /\/items\/[0-9a-f-]{36}$/)
  await plain.getByRole('heading', { name: 'Details' }).waitFor()
  await follow('Policies', /\/policies$/)
  await follow('Studio contents', /\/policies\/[0-9a-f-]{36}$/)
  await follow('Maintenance', /\/maintenance$/)
  await follow('Overdue', /show=overdue$/)
  expect(await plain.getByRole('row').count()).toBeGreaterThan(1)
})

it('the revocation, and the audit log', async () => {
  await page.goto(tokens)
  await cardOf(page, 'Scoped to Callum').first().getByRole('button', { name: 'Revoke' }).click()
  await look('dialog')
  await press('Revoke', 'Scoped is revoked.', 'revoked')
  await page.getByRole('link', { name: 'All tokens' }).click()
  await cardOf(page, 'Demo').getByRole('link', { name: 'Demo', exact: true }).click()
  await page.goto(`${page.url()}/revoke`)
  await look('revoke')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await heading('Audit log').waitFor()
  await look('audit-log')
})

it('the members: list, one member, a refusal, and a removal', async () => {
  await open('members', 'members')
  await page.getByLabel('E-mail').fill('callum@northlight.example')
  await press('Add member', 'This person is already a member.', 'member-refused')
  await page.getByLabel('E-mail').fill('new.person@northlight.example')
  await page.getByLabel('Name').fill('Nia New')
  await press('Add member', 'Nia New is a member', 'member-added')
  await page.getByRole('link', { name: 'Nia New' }).click()
  await page.getByLabel('Role').selectOption('admin')
  await press('Change role', 'The role is now Admin.', 'member')
  await page.getByRole('button', { name: 'Remove Nia New from the studio' }).click()
  await heading('Remove this member?').waitFor()
  await look('member-remove')
  await press('Remove', heading('Members', { level: 1 }))
})

it('the activity with its chart, and the requests of one class', async () => {
  await page.goto(tokens)
  const token = await createToken(page, 'Busy')
  for (const path of ['account', 'items?per_page=1', 'items/x', 'policies']) {
    await fetch(`${demo.origin}/v1/${path}`, { headers: { Authorization: `Bearer ${token}` } })
  }
  await page.goto(tokens)
  await page.getByRole('link', { name: 'Busy', exact: true }).click()
  const requests = () => page.reload().then(() => page.locator('tbody tr').count())
  await expect.poll(requests, { timeout: 20_000, interval: 500 }).toBe(4)
  await look('activity')
  await page.getByRole('link', { name: '4xx refused: 1' }).click()
  await page.waitForURL(/\?status=4xx#activity$/)
  expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/GET \/v1\/items\/\{id\}\s+404/),
  ])
  await look('activity-filtered')
  await page.getByRole('link', { name: 'Show all' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(4)
})

it('the import: form, changes, errors, and result', async () => {
  await open('import', 'import')
  const upload = async (text: string) => {
    await page.getByLabel('File').setInputFiles({ name: 'gear.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await press('See what would change', heading('How the file is read'))
  }
  const long = 'NoBlankInThisName'.repeat(5)
  await upload(`Asset Tag,Title,Kind,Cost,${long}\nA-1,,Zithers,abc,\nA-2,Zither,Zithers,10,\n`)
  await look('import-wrong')
  await page.getByRole('link', { name: 'Choose another file' }).click()
  await upload('external_key,name,category\nA-3,A ribbon microphone,Microphones\n')
  await look('import-preview')
  await press('Import 1 row', 'Imported: 1 added, 0 changed.', 'imported')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('items: 1 added, 0 changed').waitFor()
  await look('audit-log-import')
})

it('a first spreadsheet of 200 rows with headers of its own and no keys: what is asked, and what would be written', async () => {
  await open('import')
  const file = { name: 'our gear.csv', mimeType: 'text/csv', buffer: Buffer.from(ownSpreadsheet()) }
  await page.getByLabel('File').setInputFiles(file)
  await page.getByLabel('Create locations').check()
  await press('See what would change', heading('Cannot be imported yet'), 'first-spreadsheet-asked')
  const theirs = { 'Mics (': 'Microphones', 'Effects (': 'Effects & Reverb Units', 'Amps (': 'Amplifiers & Cabinets' }
  const formats = { 'What identifies each row': 'serial_number', Dates: 'dd/mm/yyyy', Amounts: 'point' }
  const answers = { ...formats, ...theirs, 'Speakers (': 'Monitoring & Headphones' }
  for (const [label, answer] of Object.entries(answers)) await page.getByLabel(label).selectOption(answer)
  await press('Check again', heading('What would change'))
  expect(await page.locator('main').innerText()).toMatch(/200 rows: 200 to add.*\d+ [A-Z][a-z]+ 1998.*,\d{3}\.50 GBP/s)
  await look('first-spreadsheet-preview')
  await page.getByRole('link', { name: 'Show all' }).click()
  expect(await page.locator('tbody tr').count()).toBe(200)
  await press('Import 200 rows', 'Imported: 200 added, 0 changed.')
})

it('the report, a missing page, and an ended session', async () => {
  await open('report', 'report')
  // The browser behaves as one without fields for dates.
  await page.evaluate(`document.getElementById('on').type = 'text'`)
  await page.getByLabel('Day of the values').fill('31 March')
  await press('Download the report', page.getByRole('alert'), 'report-refused')
  await page.goto(`${demo.origin}/console/nowhere`)
  await look('not-found')
  const session = (await page.context().cookies()).find(({ name }) => name.endsWith('-session'))
  if (session) await page.context().addCookies([{ ...session, value: 'A'.repeat(43) }])
  await page.goto(tokens)
  await page.getByText('Your session ended.').waitFor()
  await look('session-ended')
})

it('what a member, somebody of two studios, and the owner of a lapsed one see', async () => {
  await signIn('Priya Nair')
  await look('member')
  await signIn('Aylin Demir')
  expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Basement Tapes', 'Kanal 9 Tonstudio'])
  await look('studios')
  await signIn('Gwen Pritchard')
  await look('upsell')
  await page.getByRole('link', { name: 'Plan', exact: true }).click()
  await heading('Changing the plan').waitFor()
  await look('plan-ended')
})

it('where the public API is off', async () => {
  await demo.cli('studio', 'public-api', 'Hollow Oak Recording', 'off')
  const list = page.url().replace(/plan$/, 'tokens')
  await page.goto(`${demo.origin}/console`)
  await look('api-off')
  await page.goto(list)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('The public API is off')
  await look('api-off-tokens')
})
