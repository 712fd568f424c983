import { afterEach, expect, test, vi } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { asOwner, withStudioWriter } from '../../src/database/session.ts'
import { changeAnyway, setAccepted, useCells } from '../support/cells.ts'
import type { Reply } from '../support/client.ts'
import { openProxy } from '../support/proxy.ts'
import { asAdmin } from '../support/server.ts'
import { generous, type TestService } from '../support/service.ts'

const cells = useCells()
const aRandomToken = () => tokenOf('studio', newSecret())

const idsOf = (studio: 'a' | 'b') => {
  const { id, items, policies, token } = cells.cast[studio]
  return [...Object.values(items), ...Object.values(policies), id, token.id]
}

test('three studios in three cells: each token reads its own studio, whichever cell it is in', async () => {
  const { a, b, canary } = cells.cast
  const nameOf = async (token: string) =>
    (await cells.service.get<{ data: { name: string } }>('/v1/account', { token })).json.data.name
  const names = [a.name, b.name, cells.third.name]
  for (const round of ['unknown', 'known']) {
    expect(await Promise.all([a.token.token, b.token.token, cells.third.token].map(nameOf)), round).toEqual(names)
  }
  expect(b.name).toContain(canary)
})

test('every endpoint, for every id of both, shows studio A nothing of B, and B nothing of A', async () => {
  const { a, b, canary, expectNoCanary } = cells.cast
  for (const { path } of operations) {
    const ids = path.includes('{id}') ? [...idsOf('a'), ...idsOf('b')] : ['']
    const asked = ids.map(async (id) => {
      const at = prefix + path.replace('{id}', id)
      const [ofA, ofB] = await Promise.all([a, b].map(({ token }) => cells.service.get(at, { token: token.token })))
      if (ofA === undefined || ofB === undefined) throw new Error('no answers')
      expectNoCanary(ofA.bytes)
      if (idsOf('b').includes(id)) expect(ofA.status, at).toBe(404)
      if (idsOf('a').includes(id)) expect(ofB.status, at).toBe(404)
      if (path === '/items' || path === '/items/{id}') {
        const isOwn = ofB.status === 404 || ofB.text.includes(canary)
        expect(isOwn, at).toBe(true)
        expect(ofB.text).not.toContain(a.items.microphone)
      }
    })
    await Promise.all(asked)
  }
})

test('a studio with nothing in it is shown nothing of others, whose data its cell has as well', async () => {
  const { a, b, expectNoCanary } = cells.cast
  for (const { path } of operations) {
    for (const id of path.includes('{id}') ? [a.items.microphone, b.items.microphone] : ['']) {
      const reply = await cells.service.get(prefix + path.replace('{id}', id), { token: cells.third.token })
      expect(reply.status, path).toBe(id === '' ? 200 : 404)
      expectNoCanary(reply.bytes)
      expect(reply.text).not.toContain(a.items.microphone)
    }
  }
})

test('an ETag of one studio is no answer to another in another cell', async () => {
  const { a, b } = cells.cast
  const { headers } = await cells.service.get('/v1/items', { token: a.token.token })
  const reply = await cells.service.get('/v1/items', {
    token: b.token.token,
    headers: { 'If-None-Match': String(headers.etag) },
  })
  expect(reply.status).toBe(200)
})

test('a token that no cell knows is refused as always', async () => {
  const reply = await cells.service.get('/v1/account', { token: aRandomToken() })
  expect(reply.status).toBe(401)
  expect(reply.headers).not.toHaveProperty('retry-after')
})

test('what a cell says of its own token is said: 403 of an archived studio', async () => {
  const { id, token } = cells.cast.b
  const archive = (at: string) =>
    changeAnyway(cells.eu2, `update access.subscriptions set archived_at = ${at} where studio_id = $1`, [id])
  await archive('now()')
  for (const service of [cells.service, await cells.start()]) {
    expect((await service.get('/v1/account', { token: token.token })).status).toBe(403)
  }
  await archive('null')
})

test('a guess counts once, and a token has one quota, however many cells are asked', async () => {
  const limits = { ...generous, failedPerMinute: 3, studio: { perSecond: 1_000, perMinute: 3 } }
  const service = await cells.start({ limits })
  const fourOf = async (token: () => string) => {
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await service.get('/v1/account', { token: token() })).status)
    }
    return statuses
  }
  expect(await fourOf(aRandomToken)).toEqual([401, 401, 401, 429])
  // Tokens that were issued in any cell are no guesses.
  for (const token of [cells.cast.a.token.token, cells.cast.b.token.token, cells.third.token]) {
    expect(await fourOf(() => token)).toEqual([200, 200, 200, 429])
  }
})

test('the activity of a token is recorded in its own cell', async () => {
  const service = await cells.start()
  const { token } = cells.cast.b
  await service.get('/v1/policies', { token: token.token })
  await service.stop()
  const recorded = (url: string) =>
    asOwner(url, (transaction) =>
      transaction.query('select from access.request_activity where token_id = $1 and endpoint = $2', [
        token.id,
        'GET /v1/policies',
      ]),
    )
  expect((await recorded(cells.eu2.adminUrl)).length).toBeGreaterThan(0)
  expect(await recorded(cells.eu1.adminUrl)).toEqual([])
})

test('while a cell is down its tokens get 503, as does what may be one of them, and all others get their answers', async () => {
  const proxy = await openProxy(cells.eu2.adminUrl)
  const eu2 = {
    ...cells.eu2,
    urlFor: (role: Parameters<typeof cells.eu2.urlFor>[0]) => proxy.reach(cells.eu2.urlFor(role)),
  }
  const { a, b } = cells.cast
  const get = (service: TestService, token: string) => service.get('/v1/account', { token })
  const unavailable = (reply: Reply) => {
    expect(reply.status, reply.text).toBe(503)
    expect(reply.headers).toHaveProperty('retry-after')
  }
  const service = await cells.start({ otherCells: { eu2 } })
  expect((await get(service, b.token.token)).status).toBe(200)
  await proxy.down()
  const limits = { ...generous, failedPerMinute: 3 }
  const limited = await cells.start({ otherCells: { eu2 }, limits })
  const alone = vi.spyOn(limited.api, 'queryPipelined')
  // Where a replica reads, tokens are authenticated in batches.
  const batched = vi.spyOn(limited.api, 'queryUninstrumented')
  for (let count = 0; count < 5; count += 1) unavailable(await get(limited, aRandomToken()))
  // Guesses count, so that they are no load on the cells that are there.
  const asked = [...alone.mock.calls.flatMap(([requests]) => requests), ...batched.mock.calls]
  expect(asked).toHaveLength(3)
  expect((await get(limited, a.token.token)).status).toBe(200)
  // One that knows its tokens, and one that has just started.
  for (const each of [service, await cells.start({ otherCells: { eu2 } })]) {
    unavailable(await get(each, b.token.token))
    unavailable(await get(each, aRandomToken()))
    for (const token of [a.token.token, cells.third.token]) expect((await get(each, token)).status).toBe(200)
  }
  await proxy.up()
  await vi.waitUntil(async () => (await get(service, b.token.token)).status === 200, { timeout: 20_000 })
  expect((await get(service, aRandomToken())).status).toBe(401)
  await service.stop()
  await proxy.close()
})

/** Which cells accept the token of studio A: while it is moved, two of them have its data. */
async function accept(...names: string[]): Promise<void> {
  const { id } = cells.cast.a.token
  const all = ['eu1', 'eu2', 'eu3'] as const
  await Promise.all(all.map((name) => setAccepted(cells[name], id, names.includes(name))))
}
afterEach(() => accept('eu1'))

const items = (service: TestService, headers: Record<string, string> = {}) =>
  service.get('/v1/items', { token: cells.cast.a.token.token, headers })

test('a token that cells accept with the same data, as while its studio moves, is answered whatever it asks', async () => {
  const [microphone, policy] = [cells.cast.a.items.microphone, Object.values(cells.cast.a.policies)[0]]
  const paths = [
    '/v1/items',
    // What is not before the watermark is left out, so that this answer has no version of its own.
    '/v1/items?updated_since=2020-01-01T00:00:00Z',
    '/v1/policies?updated_since=2020-01-01T00:00:00Z',
    `/v1/items/${microphone}`,
    `/v1/policies/${policy}`,
  ]
  /** Each time by a service to which the token is unknown. */
  const answered = async (path: string) => {
    const service = await cells.start()
    const reply = await service.get(path, { token: cells.cast.a.token.token })
    expect(reply.status, path).toBe(200)
    expect(service.log()).not.toContain('several cells')
  }
  const beat = (text: string) =>
    Promise.all([cells.eu1, cells.eu2, cells.eu3].map((cell) => asAdmin(cell, (admin) => admin.query(text))))
  await beat(`insert into app.heartbeats (xid, at) values ('3', '2021-01-01')`)
  try {
    await accept('eu1', 'eu2')
    await Promise.all(paths.map(answered))
    await accept('eu1', 'eu2', 'eu3')
    await answered('/v1/items?updated_since=2020-01-01T00:00:00Z')
  } finally {
    await beat('delete from app.heartbeats')
  }
})

test('a studio that has moved is read in its new cell with the next request, and nothing cached from the old one is sent', async () => {
  await withStudioWriter(cells.eu2.urlFor('studio_writer'), cells.cast.a.id, ({ query }) =>
    query('update app.items set name = $2 where id = $1', [cells.cast.a.items.microphone, 'Moved microphone']),
  )
  const service = await cells.start()
  const before = await items(service)
  expect((await items(service)).text).toBe(before.text)
  expect(before.text).not.toContain('Moved microphone')
  const etag = String(before.headers.etag)
  expect((await items(service, { 'If-None-Match': etag })).status).toBe(304)

  await accept('eu2')
  const after = await items(service, { 'If-None-Match': etag })
  expect(after.status).toBe(200)
  expect(after.text).toContain('Moved microphone')
  expect((await items(service)).text).toBe(after.text)

  // On to the third cell, which has what the first had.
  await accept('eu3')
  const last = await items(service, { 'If-None-Match': String(after.headers.etag) })
  expect([last.status, last.text]).toEqual([200, before.text])
})

test('a revoked token is refused with the next request, in every process, although another cell has been asked too', async () => {
  const services = [cells.service, await cells.start()]
  for (const service of services) expect((await items(service)).status).toBe(200)
  await accept()
  for (const service of services) expect((await items(service)).status).toBe(401)
})

test('a token that cells accept with different data is answered by neither, and the log names them', async () => {
  await asAdmin(cells.eu2, (admin) => admin.query('select app.add_data_version(array[$1::uuid])', [cells.cast.a.id]))
  const service = await cells.start()
  for (const accepting of [
    ['eu1', 'eu2'],
    ['eu1', 'eu2', 'eu3'],
  ]) {
    await accept(...accepting)
    const reply = await items(service)
    expect(reply.status).toBe(503)
    expect(reply.headers).toHaveProperty('retry-after')
    expect(service.log()).toContain(`several cells accept the same token: ${accepting.join(', ')}"`)
  }
})
