import { describe, expect, it, onTestFinished } from 'vitest'
import { html } from '../../src/web/html.ts'
import { consoleOf, create, signedIn, tokensOf, useConsole } from './support.ts'

const world = useConsole()
const { statusOf, countTokens, idOf, logOf, manage } = tokensOf(world)
const by = signedIn(world, ['owner', 'admin'])

describe('creating a token', () => {
  it('makes a working token in the name of the signed-in person, and writes the audit log', async () => {
    const token = await create(by.admin, world.tokens(), { name: 'By the admin' })
    expect(token).toMatch(/^svc_studio_[0-9A-Za-z]{32}$/)
    expect(await statusOf(token)).toBe(200)
    expect(await logOf('By the admin')).toEqual([{ event: 'token.issued', email: world.cast.a.people.admin.email }])
    const kept = await world.owner('select to_json(t)::text as row from access.tokens t')
    expect(JSON.stringify(kept)).not.toContain(token.slice('svc_studio_'.length))
  })

  it('takes 100 characters of any kind, and shows them as typed', async () => {
    const name = `${'🎛'.repeat(50)}${'<b>&"\'`'.repeat(6)}  end `.padEnd(150, '.').slice(0, 150)
    expect([...name]).toHaveLength(100)
    await create(by.owner, world.tokens(), { name })
    expect((await by.owner.get(world.tokens())).text).toContain(String(html`${name}`))
  })

  it("refuses a scope that is not a current member: a stranger, another studio's owner, no id", async () => {
    const before = await countTokens()
    const { outsider, b } = world.cast
    for (const scope of [outsider.id, b.people.owner.id, 'x']) {
      const page = await by.owner.post(world.tokens(), { name: 'For a stranger', scope })
      expect(page).toMatchObject({ status: 422, text: expect.stringContaining('No token was created.') })
      expect(page.text).toContain('id="scope-error">The team member chosen is not a current member of the studio.')
    }
    expect(await countTokens()).toBe(before)
  })

  it('without a plan leads to the page of the plans; where none is set it says whom to ask', async () => {
    await manage('set_subscription($1, $2, $3, $4)', 'studio', 'trialing', '2020-01-01')
    const plansUrl = 'https://app.example.com/plans?from=api&now=1'
    const service = await world.start({ console: consoleOf({ plansUrl }) })
    const led = await (await world.as(world.cast.a.people.owner, service)).get(world.tokens())
    const asked = await by.owner.get(world.tokens())
    await manage('set_subscription($1, $2, $3)', 'studio', 'active')
    expect(led.text).toContain(`href="${plansUrl.replace('&', '&amp;')}">Choose a plan</a>`)
    expect(led.text).not.toContain('the operator of this service')
    expect(asked.text).toContain('Ask the operator of this service for a plan or a trial')
    expect(asked.text).not.toContain('Choose a plan')
  })

  it('is decided by the role and the plan at that moment, not by the page', async () => {
    await by.admin.get(world.tokens())
    const before = await countTokens()
    const { email } = world.cast.a.people.admin
    onTestFinished(async () => {
      await manage('add_member($1, $2, $3, $4)', email, '', 'admin')
      await manage('set_subscription($1, $2, $3)', 'studio', 'active')
    })
    await manage('add_member($1, $2, $3, $4)', email, '', 'member')
    expect((await by.admin.post(world.tokens(), { name: 'Too late' })).status).toBe(403)

    await manage('set_subscription($1, $2, $3, $4)', 'studio', 'trialing', '2020-01-01')
    const page = await by.owner.post(world.tokens(), { name: 'Too late' })
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Creating tokens needs a plan') })
    expect(page.text).not.toContain('New token')
    expect(page.text).toContain(world.cast.a.token.prefix)
    await manage('set_subscription($1, $2, $3, $4)', 'studio', 'trialing', '2999-01-01')
    await create(by.owner, world.tokens(), { name: 'On a trial' })
    expect(await countTokens()).toBe(before + 1)
  })

  it('is limited per person', async () => {
    const service = await world.start({ console: consoleOf({ tokensPerMinute: 2 }) })
    const visitor = await world.as(world.cast.a.people.owner, service)
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await visitor.post(world.tokens(), { name: 'Many' })).status)
    expect(statuses).toEqual([303, 303, 429])
    const another = await world.as(world.cast.a.people.admin, service)
    expect((await another.post(world.tokens(), { name: 'Another person' })).status).toBe(303)
  })
})

describe('the page that shows the token', () => {
  it('is there once, for that session, studio and token, for a minute', async () => {
    const made = await by.owner.post(world.tokens(), { name: 'Once' })
    const path = made.location ?? ''
    const name = `studio-inventory-reveal-${await idOf('Once')}`
    const sealed = by.owner.cookies.get(name) ?? ''
    expect(made.headers.getSetCookie()[0]).toMatch(
      /^studio-inventory-reveal-[0-9a-f-]{36}=.*; Max-Age=60; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(made.text).not.toContain('svc_')
    // Another session cannot open what was sealed for this one.
    by.admin.cookies.set(name, sealed)
    expect((await by.admin.get(path)).text).not.toMatch(/svc_studio_\w{32}/)
    const other = await by.owner.post(world.tokens(), { name: 'Another' })
    by.owner.cookies.set(`studio-inventory-reveal-${await idOf('Another')}`, sealed)
    expect((await by.owner.get(other.location ?? '')).text).not.toMatch(/svc_studio_\w{32}/)

    const shown = await by.owner.get(path)
    const [token = ''] = /svc_studio_\w{32}/.exec(shown.text) ?? []
    expect(await statusOf(token)).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.text).toContain(`'${world.service.url}/v1/items?per_page=1'`.replaceAll("'", '&#39;'))
    expect(shown.text.match(/class="(?:button )?primary"/g)).toHaveLength(1)
    // The first call of the documentation, and the link to it.
    expect(shown.text).toContain(`href="${world.service.url}/docs#first-call"`)
    expect(by.owner.cookies.has(name)).toBe(false)
    // The cookie that the page took away does not help either.
    by.owner.cookies.set(name, sealed)
    const again = await by.owner.get(path)
    expect(again.text).toContain('A new token is shown only once.')
    expect(again.text).not.toContain(token.slice(-28))
    expect(sealed).not.toContain(token.slice(-28))
    expect(world.service.log()).not.toContain(token.slice(-28))
  })

  it('is not used up by asking for its headers', async () => {
    const made = await by.owner.post(world.tokens(), { name: 'Head' })
    const head = await fetch(`${world.service.url}${made.location}`, {
      method: 'HEAD',
      headers: { Cookie: [...by.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect((await by.owner.get(made.location ?? '')).text).toMatch(/svc_studio_\w{32}/)
  })
})

it('a token has a last day and allowed addresses when they are given, and its page shows both as they were given', async () => {
  await world.owner(`update app.studios set timezone = 'Europe/Berlin' where id = $1`, [world.cast.a.id])
  const fields = { name: 'Limited', expires: 'date', last_day: '2199-01-31', addresses: '203.0.113.9/24\n2001:db8::1' }
  const token = await create(by.owner, world.tokens(), fields)
  expect(await statusOf(token)).toBe(401)
  const page = (await by.owner.get(`${world.tokens()}/${await idOf('Limited')}`)).text
  expect(page).toContain('<dt>Expires</dt><dd><span class="day">Last day <time datetime="2199-01-31" data-day>')
  expect(page).toContain('<dt>Allowed IP addresses</dt><dd class="typed">203.0.113.0/24, 2001:db8::1</dd>')
  await world.owner('update app.studios set timezone = $2 where id = $1', [world.cast.a.id, 'UTC'])

  const local = { ...fields, name: 'Local', addresses: '127.0.0.1, ::1' }
  expect(await statusOf(await create(by.owner, world.tokens(), local))).toBe(200)
})

it.each([
  ['the reader cannot use', '198.51.100.0/24 2001:db8::/32', true],
  ['the reader can use', '198.51.100.7, 127.0.0.0/8', false],
  ['anybody can use', '', false],
])('the page of a new token that %s warns of it: %s', async (what, addresses, warns) => {
  const made = await by.owner.post(world.tokens(), { name: `One that ${what}`, addresses })
  const { text } = await by.owner.get(made.location ?? '')
  expect(text.includes('Your own IP address, <code>127.0.0.1</code>, is not among the allowed')).toBe(warns)
})

it('an expired token is shown as expired', async () => {
  await create(by.owner, world.tokens(), { name: 'Over', expires: '30' })
  await world.owner(`update access.tokens set expires_at = '2020-01-01' where name = 'Over'`)
  const { text } = await by.owner.get(world.tokens())
  expect(text).toMatch(/Over<\/a> <span class="badge bad">Expired<\/span>/)
})

it.each([
  ...['', 'a\0b', 'x'.repeat(101), 'Zap\u202eier', 'Zapier\nrevoked'].map((name): [object, string] => [
    { name },
    'Enter a name of 1 to 100 characters, on one line and without marks of direction.',
  ]),
  ...['2020-01-01', '31.1.2199', ''].map((last_day): [object, string] => [
    { expires: 'date', last_day },
    'id="last_day-error">Enter a last day that has not passed, as YYYY-MM-DD.',
  ]),
  [
    { addresses: 'office, 10.0.0.1 10.0.0.300' },
    'id="addresses-error">&#39;office&#39; and &#39;10.0.0.300&#39; are not valid IP addresses: write one such as 203.0.113.7',
  ],
  [{ name: ' ', addresses: 'office' }, 'id="name-error">Enter a name'],
  [{ addresses: '10.0.0.1 '.repeat(51) }, '51 addresses are too many: a token can be limited to 50.'],
])('%j is refused, and what was typed stays in the form', async (fields, why) => {
  const before = await countTokens()
  const { status, text } = await by.owner.post(world.tokens(), { name: 'Refused', ...fields })
  expect(status).toBe(422)
  expect(text).toContain(why)
  expect(text).toContain('No token was created.')
  for (const typed of Object.values(fields)) expect(text).toContain(typed)
  expect(await countTokens()).toBe(before)
})
