import { beforeEach, expect, it } from 'vitest'
import { create, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, statusOf, countTokens, idOf } = tokensOf(world)
let owner: Visitor | undefined
beforeEach(async () => {
  owner = await world.as(world.cast.a.people.owner)
})

it('a token has a last day and addresses when they are given, and the list shows both', async () => {
  await world.owner(`update app.studios set timezone = 'Europe/Berlin' where id = $1`, [world.cast.a.id])
  const fields = { name: 'Limited', expires: '2199-01-31', addresses: '203.0.113.9/24\n2001:db8::1' }
  const token = await create(as(owner), world.tokens(), fields)
  expect(await statusOf(token)).toBe(401)
  const page = (await as(owner).get(`${world.tokens()}/${await idOf('Limited')}`)).text
  expect(page).toMatch(/<dt>Expires<\/dt><dd><time datetime="2199-01-31T23:00:00.000Z">/)
  expect(page).toContain('<dt>Addresses</dt><dd class="typed">203.0.113.0/24, 2001:db8::1</dd>')
  await world.owner('update app.studios set timezone = $2 where id = $1', [world.cast.a.id, 'UTC'])

  const local = await create(as(owner), world.tokens(), {
    name: 'Local',
    expires: '2199-01-31',
    addresses: '127.0.0.1, ::1',
  })
  expect(await statusOf(local)).toBe(200)
})

it('an expired token is shown as expired', async () => {
  await create(as(owner), world.tokens(), { name: 'Over', expires: '2199-01-31' })
  await world.owner(`update access.tokens set expires_at = '2020-01-01' where name = 'Over'`)
  const { text } = await as(owner).get(world.tokens())
  expect(text).toMatch(/Over<\/a> <span class="badge bad">Expired<\/span>[\s\S]*?<dt>Expired<\/dt>/)
})

it.each([
  [{ expires: '2020-01-01' }, 'Enter a last day that has not passed, as YYYY-MM-DD.'],
  [{ expires: '31.1.2199' }, 'Enter a last day that has not passed, as YYYY-MM-DD.'],
  [{ addresses: 'office' }, '&#39;office&#39; is no address: write one such as 203.0.113.7'],
  [{ addresses: '10.0.0.1 '.repeat(51) }, '51 addresses are too many: a token can be limited to 50.'],
])('%j is refused, and what was typed stays in the form', async (fields, why) => {
  const before = await countTokens()
  const { status, text } = await as(owner).post(world.tokens(), { name: 'Refused', ...fields })
  expect(status).toBe(422)
  expect(text).toContain(why)
  expect(text).toContain('No token was created.')
  for (const typed of Object.values(fields)) expect(text).toContain(typed)
  expect(await countTokens()).toBe(before)
})
