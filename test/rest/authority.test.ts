import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import { type CastToken, createToken } from '../support/cast.ts'
import { fingerprint, oneConnection } from '../support/client.ts'
import { generous, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** Every request checks authority, which may end between two requests on one connection. */
const world = useWorld()
let agent = oneConnection()
beforeEach(() => {
  agent = oneConnection()
})
afterEach(() => agent.destroy())

/** The statuses before and after a change, on one connection. No answer may have data of B. */
async function around({ token }: CastToken, change: () => Promise<unknown>): Promise<[number, number]> {
  const first = await world.service.get('/v1/items', { token, agent })
  await change()
  const second = await world.service.get('/v1/items', { token, agent })
  expect(second.connection).toBe(first.connection)
  for (const { bytes, rawHeaders } of [first, second]) world.cast.expectNoCanary(`${bytes} ${rawHeaders}`)
  if (second.status === 200) expect(second.json).toMatchObject({ data: [{ name: 'Ours' }] })
  return [first.status, second.status]
}

type Studio = Awaited<ReturnType<typeof makeStudio>>

/** A studio with one item, an owner, an admin and a member. */
async function makeStudio() {
  const { id, owner } = await world.newStudio()
  await world.add('items', { name: 'Ours' }, id)
  const emailOf = (role: string) => `${role}.${id}@example.com`
  const add = async (role: string) => {
    const text = 'select access.add_member($1, $2, $3, $3) as id'
    const [user] = await world.owner<{ id: string }>(text, [id, emailOf(role), role])
    return user?.id ?? ''
  }
  const [admin, member] = [await add('admin'), await add('member')]
  const issue = (by: string, scope: string | null = null) => createToken(world.database, id, by, 'Books', scope)
  const remove = (user: string) => world.owner('select access.remove_member($1, $2)', [id, user])
  const join = () =>
    world.owner(`select access.add_member($1, $2, 'Again', 'admin')`, [world.cast.b.id, emailOf('admin')])
  return { id, owner, admin, member, issue, remove, join }
}

type Issue = (studio: Studio) => Promise<CastToken>
type Change = (studio: Studio, token: CastToken) => Promise<unknown>
const revoke: Change = ({ id, owner }, token) =>
  world.owner('select access.revoke_token($1, $2, $3)', [id, token.id, owner])

test.each<[claim: string, issue: Issue, ...[change: Change, statuses: [number, number]][]]>([
  ['revoked: 401 at the next request', (s) => s.issue(s.owner), [revoke, [200, 401]], [revoke, [401, 401]]],
  [
    'downgraded to a plan without API access: 403 at the next request; upgraded: 200',
    (s) => s.issue(s.owner),
    [(s) => world.subscribe(s.id, 'studio', 'canceled'), [200, 403]],
    [(s) => world.subscribe(s.id, 'studio'), [403, 200]],
  ],
  [
    'the scoped member removed: the token acts as its issuer',
    (s) => s.issue(s.owner, s.member),
    [(s) => s.remove(s.member), [200, 200]],
    [async ({ id }, token) => expect(await scopeOf(id, token)).toBeNull(), [200, 200]],
  ],
  [
    'the issuer removed: the token acts as the member; the member removed too: 401',
    (s) => s.issue(s.admin, s.member),
    [(s) => s.remove(s.admin), [200, 200]],
    [(s) => s.remove(s.member), [200, 401]],
  ],
  [
    'the user moved to another studio: 401, and nothing of that studio',
    (s) => s.issue(s.admin),
    [(s) => s.remove(s.admin).then(s.join), [200, 401]],
  ],
  ['a member of two studios sees only the token’s studio', (s) => s.issue(s.admin), [(s) => s.join(), [200, 200]]],
  [
    'an issuer who becomes a plain member keeps the issued tokens',
    (s) => s.issue(s.admin),
    [
      ({ id, admin }) =>
        world.owner(`update access.members set role = 'member' where studio_id = $1 and user_id = $2`, [id, admin]),
      [200, 200],
    ],
  ],
])('%s', async (_claim, issue, ...changes) => {
  const studio = await makeStudio()
  const token = await issue(studio)
  for (const [change, statuses] of changes) {
    expect(await around(token, () => change(studio, token))).toEqual(statuses)
  }
})

async function scopeOf(studio: string, { id }: CastToken): Promise<unknown> {
  const text = 'select scope_user_id from access.tokens where studio_id = $1 and id = $2'
  return (await world.owner<{ scope_user_id: unknown }>(text, [studio, id]))[0]?.scope_user_id
}

test('a scoped token reads the whole studio, as an unscoped one does', async () => {
  const { owner, member, issue } = await makeStudio()
  const [unscoped, scoped] = [await issue(owner), await issue(owner, member)]
  expect((await world.get('/v1/items', scoped)).text).toBe((await world.get('/v1/items', unscoped)).text)
})

/** Tokens that end, or that work from a few addresses. */
let behindProxy: TestService
beforeAll(async () => {
  behindProxy = await world.start({ trustProxy: 'loopback' })
})

const office = '203.0.113.7'
const elsewhere = '198.51.100.9'

async function issueLimited(limits: {
  expires?: string
  addresses?: string[]
}): Promise<{ id: string; token: string }> {
  const { id, people } = world.cast.a
  const request = { studioId: id, issuedBy: people.owner.id, name: 'Limited', scopeUserId: null, ...limits }
  return world.asOwner((transaction) => issueToken(transaction, request))
}

const from = (address: string, token: string, more: Record<string, string> = {}, service = behindProxy) =>
  service.get('/v1/items', { token, headers: { 'X-Forwarded-For': address, ...more } })

test('a token with a list of addresses works only from these', async () => {
  const { token } = await issueLimited({ addresses: ['203.0.113.0/24', '2001:db8:1::/48', '192.0.2.1'] })
  for (const address of [office, '203.0.113.255', '2001:db8:1:ffff::1', '192.0.2.1', '::ffff:192.0.2.1']) {
    expect((await from(address, token)).status, address).toBe(200)
  }
  for (const address of [elsewhere, '203.0.114.1', '2001:db8:2::1', '192.0.2.2', 'unknown', '']) {
    expect((await from(address, token)).status, address).toBe(401)
  }
})

test.each([
  ['nginx', '203.0.113.7'],
  ['nginx behind nginx', '203.0.113.7, 192.168.0.3'],
  ['the Application Gateway of Azure', '203.0.113.7:51234, 10.0.0.4:1042'],
  ['the load balancer of AWS that keeps the port', '203.0.113.7:8080'],
  ['one that writes IPv6', '[::ffff:203.0.113.7]:443, [::ffff:10.0.0.4]:443'],
  ['one that passes on what the client wrote', 'rubbish, 203.0.113.7:1'],
])('what %s sends names the client, whatever its port', async (_proxy, sent) => {
  const limits = { failedPerMinute: 2, pro: generous.pro, studio: generous.studio }
  const service = await world.start({ trustProxy: 'loopback, uniquelocal', limits })
  const { token } = await issueLimited({ addresses: [office] })
  expect((await from(sent, token, {}, service)).status).toBe(200)
  // Each connection has another port, but they are one client. So are all whose address the service
  // cannot read.
  for (const [index, status] of [401, 401, 429].entries()) {
    const port = sent.replace(/:\d+(?=,|$)/, `:${index + 1}`)
    const unknown = tokenOf('studio', newSecret())
    expect((await from(port, unknown, {}, service)).status).toBe(status)
    expect((await from(`rubbish ${index}`, unknown, {}, service)).status).toBe(status)
  }
})

test('the address is the client’s only as far as TRUST_PROXY says', async () => {
  const { token } = await issueLimited({ addresses: [office] })
  const direct = await world.start({ trustProxy: false })
  expect((await from(office, token, {}, direct)).status).toBe(401)
  const { token: local } = await issueLimited({ addresses: ['127.0.0.0/8', '::1'] })
  expect((await from(office, local, {}, direct)).status).toBe(200)
  expect((await from(office, local)).status).toBe(401)
})

test('an address that is not listed and an expired token are answered like an unknown token', async () => {
  const { token } = await issueLimited({ addresses: [office] })
  const expired = await issueLimited({ expires: '2199-12-31' })
  await world.owner('update access.tokens set expires_at = now() where id = $1', [expired.id])
  const reference = fingerprint(await from(office, `svc_studio_${'a'.repeat(32)}`))
  expect(fingerprint(await from(elsewhere, token))).toBe(reference)
  expect(fingerprint(await from(office, expired.token))).toBe(reference)
})

test('other addresses get neither a token’s cached response nor a 304', async () => {
  const { token } = await issueLimited({ addresses: [office] })
  const first = await from(office, token)
  const known = { 'If-None-Match': String(first.headers.etag) }
  expect((await from(office, token, known)).status).toBe(304)
  expect((await from(elsewhere, token, known)).status).toBe(401)
  const addresses = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? office : elsewhere))
  const replies = await Promise.all(addresses.map((address) => from(address, token)))
  expect(replies.map(({ status }) => status)).toEqual(addresses.map((address) => (address === office ? 200 : 401)))
})

test('a token ends at its moment, cached or not', async () => {
  const { id, token } = await issueLimited({ expires: '2199-12-31' })
  const first = await from(office, token)
  expect((await from(office, token)).status).toBe(200)
  await world.owner(`update access.tokens set expires_at = now() + interval '300 milliseconds' where id = $1`, [id])
  const known = { 'If-None-Match': String(first.headers.etag) }
  await expect.poll(async () => (await from(office, token)).status, { timeout: 30_000 }).toBe(401)
  expect((await from(office, token, known)).status).toBe(401)
  await world.owner(`update access.tokens set expires_at = now() + interval '1 hour' where id = $1`, [id])
  expect((await from(office, token, known)).status).toBe(304)
})

test('requests from elsewhere end the quota of their address, not that of the token', async () => {
  const quota = { perSecond: 100, perMinute: 100 }
  const limits = { failedPerMinute: 5, pro: quota, studio: quota }
  const service = await world.start({ trustProxy: 'loopback', limits })
  const { token } = await issueLimited({ addresses: [office] })
  const statuses: number[] = []
  for (let count = 0; count < 30; count += 1) {
    expect((await from(office, token, {}, service)).status).toBe(200)
    statuses.push((await from(elsewhere, token, {}, service)).status)
  }
  expect(statuses).toEqual([...Array(5).fill(401), ...Array(25).fill(429)])
})

test('nor do failures from elsewhere that are few enough to be tried', async () => {
  const quota = { perSecond: 100, perMinute: 4 }
  const limits = { failedPerMinute: 50, pro: quota, studio: quota }
  const service = await world.start({ trustProxy: 'loopback', limits })
  const { token } = await issueLimited({ addresses: [office] })
  const stolen = ['', '1', '2'].map((last) => `${elsewhere}${last}`)
  for (let count = 0; count < 10; count += 1) {
    for (const address of stolen) expect((await from(address, token, {}, service)).status).toBe(401)
  }
  const statuses: number[] = []
  for (let count = 0; count < 5; count += 1) statuses.push((await from(office, token, {}, service)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429])
})
