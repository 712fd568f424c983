import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardOf, createToken, type Demo, openDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const statusOf = async (token: string) =>
  (await fetch(`${demo.origin}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })).status

it('an owner creates a scoped token, uses it, sees its activity and revokes it', async () => {
  const { page, requests, complaints } = await demo.as('owner')
  const token = await createToken(page, 'Bookkeeping', 'Priya Nair (priya@northlight.example, member)')
  expect(token).toMatch(/^svc_studio_[0-9A-Za-z]{32}$/)
  expect(await page.locator('#curl').innerText()).toBe(
    `curl -H 'Authorization: Bearer ${token}' '${demo.origin}/v1/items?per_page=1'`,
  )
  expect(await statusOf(token)).toBe(200)

  await page.getByRole('link', { name: 'I have copied it' }).click()
  const card = cardOf(page, 'Bookkeeping')
  const shown = await card.innerText()
  expect(shown).toContain('Scoped to Priya Nair')
  const prefix = `${token.slice(0, 'svc_studio_'.length + 4)}…`
  expect(shown).toContain(prefix)
  expect(shown).toContain('by Imogen Hart')

  await expect
    .poll(
      async () => {
        await page.reload()
        return cardOf(page, 'Bookkeeping').innerText()
      },
      { timeout: 20_000, interval: 500 },
    )
    .not.toContain('Never used')
  await card.getByRole('link', { name: 'Bookkeeping', exact: true }).click()
  expect(await page.locator('tbody tr').innerText()).toMatch(/UTC\s+GET \/v1\/account\s+200\s+\d+\.\d ms/)

  await page.getByRole('link', { name: 'All tokens' }).click()
  await card.getByRole('button', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.innerText()).toContain(`Bookkeeping (${prefix}) stops working at once, for good.`)
  const outline = 'getComputedStyle(document.activeElement).outlineStyle'
  expect([await page.evaluate(outline), await page.evaluate('document.activeElement.textContent')]).toEqual([
    'solid',
    'Keep it',
  ])
  expect(await statusOf(token)).toBe(200)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Bookkeeping is revoked.').waitFor()
  expect(await statusOf(token)).toBe(401)
  await page.getByRole('link', { name: 'All tokens' }).click()
  expect(await card.innerText()).toMatch(/Revoked\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  expect(await card.getByRole('heading').innerText()).toMatch(/^Bookkeeping\s+Revoked/)
  expect(await card.getByRole('button', { name: 'Revoke' }).count()).toBe(0)

  await page.getByRole('link', { name: 'Audit log' }).click()
  const rows = await page.locator('tbody tr').allInnerTexts()
  expect(rows[0]).toMatch(/Token revoked\s+Bookkeeping\s+svc_studio_.*Imogen Hart/s)
  expect(rows[1]).toMatch(/Token created\s+Bookkeeping\s+svc_studio_.*Imogen Hart.*Priya Nair/s)

  // Nothing went elsewhere, and the secret is in no URL and in no line of the log.
  expect(requests.filter((url) => !url.startsWith(demo.origin))).toEqual([])
  expect(requests.join('\n')).not.toContain(token.slice(-28))
  expect(demo.log()).not.toContain(token.slice(-28))
  expect(complaints).toEqual([])
})

it('the new token is shown once: not after a reload, not on the way back, not on the way forth', async () => {
  const { page } = await demo.as('owner')
  const token = await createToken(page, 'Once')
  await page.reload()
  expect(await page.getByRole('status').innerText()).toContain('cannot be shown again')
  expect(await page.content()).not.toContain(token)

  const second = await createToken(page, 'Twice')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await page.goBack()
  expect(await page.content()).not.toContain(second)
  await page.goForward()
  expect(await page.content()).not.toContain(second)
  expect((await page.context().cookies()).map(({ value }) => value).join()).not.toContain(second)
})

it('the copy button copies the token, and a name is shown as it was typed', async () => {
  const { page, complaints } = await demo.as('owner', { permissions: ['clipboard-read', 'clipboard-write'] })
  const name = `<img src=x onerror="document.title='no'"> & "Ivory's"  two blanks`
  const token = await createToken(page, name)
  await page.getByRole('button', { name: 'Copy Token' }).click()
  await page.getByText('Copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token)
  expect(await page.locator('main strong').innerText()).toBe(name)
  await page.getByRole('link', { name: 'I have copied it' }).click()
  expect(await cardOf(page, 'Ivory').getByRole('link').first().innerText()).toBe(name)
  expect(await page.title()).not.toBe('no')
  expect(complaints).toEqual([])
})

it('where nothing can be copied, as over plain HTTP, going on is the one primary action', async () => {
  const { page } = await demo.as('owner')
  const primary = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('main .primary')]
    .filter((each) => each.checkVisibility()).map((each) => each.textContent.trim())`)
  await createToken(page, 'Copied')
  expect(await primary()).toEqual(['Copy Token'])
  await page.addInitScript('delete Navigator.prototype.clipboard')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await createToken(page, 'Copied by hand')
  expect(await primary()).toEqual(['I have copied it'])
  expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
})

it('on paper a new token is there once, and nothing is there to be pressed', async () => {
  const { page } = await demo.as('owner')
  const token = await createToken(page, 'Printed')
  const words = () => page.locator('body').innerText()
  expect((await words()).split(token)).toHaveLength(3)
  await page.emulateMedia({ media: 'print' })
  expect((await words()).split(token)).toHaveLength(2)
  expect(await words()).not.toMatch(/Copy Token|Sign out|I have copied it/)
  await page.goto(page.url().replace(/tokens.*/, 'import'))
  expect(await page.getByRole('button').count()).toBe(0)
})

it('at 390 px the audit log says that it scrolls, and it does', async () => {
  const { page } = await demo.as('owner', { viewport: { width: 390, height: 844 } })
  await page.getByRole('link', { name: 'Audit log' }).click()
  const hint = page.getByText('The table is wider than the window: scroll it sideways.')
  await expect.poll(() => hint.isVisible()).toBe(true)
  const hidden = await page.evaluate<number>(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.wide'))`,
  )
  expect(hidden).toBeGreaterThan(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await hint.isVisible()).toBe(false)
})

it('a member sees the tokens and can do nothing with them', async () => {
  const { page } = await demo.as('member')
  expect(await page.getByRole('article').count()).toBeGreaterThan(0)
  expect(await page.getByRole('button').allInnerTexts()).toEqual(['Sign out'])
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
  await page.getByRole('article').first().getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Activity' }).waitFor()
  const revoke = `${page.url()}/revoke`
  expect((await page.goto(revoke))?.status()).toBe(404)
})

it('without an active plan there is an upsell in place of the form', async () => {
  const { page } = await demo.as('lapsed')
  expect(await page.getByRole('heading', { name: 'Creating tokens needs a plan' }).count()).toBe(1)
  expect(await page.getByRole('textbox').count()).toBe(0)
})

it('after signing out the way back shows nothing of the studio', async () => {
  const { page } = await demo.as('owner')
  const kept = await page.context().cookies()
  const list = page.url()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in$/)
  await page.goBack()
  await page.waitForURL(/\/sign-in$/)
  // The session ended on the server: its cookie opens nothing any more.
  await page.context().addCookies(kept)
  await page.goto(list)
  expect(page.url()).toMatch(/\/sign-in$/)
})

it('the whole way works without scripts', async () => {
  const { page } = await demo.as('admin', { javaScriptEnabled: false })
  const token = await createToken(page, 'Plain form')
  expect(await statusOf(token)).toBe(200)
  await page.getByRole('link', { name: 'I have copied it' }).click()
  await page.goBack()
  expect(await page.content()).not.toContain(token)
  await page.reload()
  expect(await page.content()).not.toContain(token)
  await cardOf(page, 'Plain form').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'Revoke this token?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Plain form is revoked.').waitFor()
  expect(await statusOf(token)).toBe(401)
})

it.each([['with', true] as const, ['without', false] as const])(
  'an owner downloads the report %s scripts, twice on one page',
  async (_how, javaScriptEnabled) => {
    const { page, complaints } = await demo.open({ javaScriptEnabled })
    await page.goto(`${demo.origin}/console`)
    await page.getByRole('button', { name: 'Imogen Hart' }).click()
    await page.waitForURL(/\/tokens$/)
    await page.getByRole('link', { name: 'Report' }).click()
    await page.getByLabel('Format').selectOption('xlsx')
    await page.getByLabel('Day of the values').fill('2026-03-31')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the report' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('equipment-northlight-studios-2026-03-31.xlsx')
    expect(await download.failure()).toBeNull()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Report')
    await download.path()
    // The same page again, in another format.
    await page.getByLabel('Format').selectOption('csv')
    const [second] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the report' }).click(),
    ])
    expect(second.suggestedFilename()).toBe('equipment-northlight-studios-2026-03-31.csv')
    expect(await second.failure()).toBeNull()
    expect(complaints).toEqual([])
  },
)

it('a form is sent once; one whose sending was stopped can be sent again', async () => {
  const { page } = await demo.as('owner')
  let posts = 0
  await page.route('**/tokens', (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    // Never answered: the form is on its way until somebody stops it.
    posts += 1
  })
  await page.getByLabel('Name', { exact: true }).fill('Stopped')
  const button = page.getByRole('button', { name: 'Create token' })
  await button.scrollIntoViewIfNeeded()
  const box = await button.boundingBox()
  const press = () => page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await press()
  await press()
  await expect.poll(() => posts, { timeout: 20_000 }).toBe(1)
  await page.keyboard.press('Escape')
  await press()
  await expect.poll(() => posts, { timeout: 20_000 }).toBe(2)
})

it('a form that only asks can be sent as often as one likes', async () => {
  const { page } = await demo.as('owner')
  await createToken(page, 'Asked for')
  await page.getByRole('link', { name: 'I have copied it' }).click()
  const sends = `document.querySelector('form.revocation').dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))`
  expect([await page.evaluate(sends), await page.evaluate(sends)]).toEqual([true, true])
})
