import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { type CastToken, createToken } from '../support/cast.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { asAdmin } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { type Single, useWorld } from '../support/world.ts'

/** A whole exercise at debug level, with everything written down that the database is sent. */
const world = useWorld()
let proxy: DatabaseProxy
let service: TestService
let token: CastToken
const unknown = tokenOf('studio', newSecret())
const answers: string[] = []

beforeAll(async () => {
  const logged = `alter database ${world.database.name} set log_statement = 'all'`
  await asAdmin(world.database, (admin) => admin.query(logged))
  proxy = await openProxy(world.database.adminUrl)
  const { id, people } = world.cast.a
  token = await createToken({ ...world.database, adminUrl: proxy.reach(world.database.adminUrl) }, id, people.owner.id)
  // Everything goes by the proxy, which keeps what it hears: what a replica is sent is the same.
  service = await world.start({ reach: proxy.reach, replicaUrls: [] })
  await exercise()
  await service.recorder.flush()
})
afterAll(() => proxy?.close())

async function exercise(): Promise<void> {
  const get = async (path: string, presented: string, headers = {}) => {
    const { text, rawHeaders } = await service.get(path, { token: presented, headers })
    answers.push(text, rawHeaders.join('\n'))
  }
  for (const presented of [token.token, unknown]) {
    for (const { path } of operations) {
      for (const id of [world.cast.a.items.microphone, presented])
        await get(prefix + path.replace('{id}', id), presented)
    }
    await get(`/v1/items?page=${presented}&category=${presented}&updated_since=${presented}`, presented)
    await get(`/v1/items?${presented}&${presented}=1`, presented)
    await get(`/v1/items?token=${presented}&access_token=${presented}`, presented)
    await get(`/${presented}`, presented)
    await get(`/photos/${presented}`, presented)
    const said = { 'User-Agent': presented, Referer: presented, Cookie: presented, 'X-Request-Id': presented }
    await get('/v1/account', presented, said)
  }
  await refused(`GET /${token.token} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.token}\r\nX-Odd : 1\r\n\r\n`)
  await failing()
}

/** A message that the parser refuses. */
async function refused(message: string): Promise<void> {
  const socket = connect(service.port, '127.0.0.1')
  socket.end(message)
  answers.push(Buffer.concat(await socket.toArray()).toString())
}

/** Requests that end in 500 and 503. */
async function failing(): Promise<void> {
  await world.owner('alter function access.open_session(bytea, inet) rename to one_away')
  await world.owner('alter function access.authenticate_batch(bytea, inet[], text) rename to many_away')
  answers.push((await service.get('/v1/items', { token: token.token })).text)
  await world.owner('alter function access.one_away(bytea, inet) rename to open_session')
  await world.owner('alter function access.many_away(bytea, inet[], text) rename to authenticate_batch')
  await proxy.down()
  answers.push((await service.get('/v1/items', { token: token.token })).text)
  await proxy.up()
}

/** No output may have these parts of a token: the whole, the secret, and the secret behind the four
 * characters that pages show. */
function secretsOf(full: string): string[] {
  const secret = full.slice(-32)
  const bytes = Buffer.from(secret)
  return [full, secret, secret.slice(4), bytes.toString('base64').slice(0, 40), bytes.toString('hex')]
}

/** A token that works, and one that does not. */
function expectNoSecret(text: string): void {
  for (const part of [token.token, unknown].flatMap(secretsOf)) expect(text).not.toContain(part)
}

test('the exercise was one: every status, and a log of it', () => {
  const log = service.log()
  for (const status of [200, 400, 401, 404, 500, 503]) expect(log).toContain(`"status":${status}`)
})

test('no log line, no answer and no header contains a secret', () => {
  expectNoSecret(service.log())
  expectNoSecret(answers.join('\n'))
})

test('no log line contains a signed photo URL, which opens a photo to anyone who has it', async () => {
  const path = `/v1/items/${world.cast.a.items.microphone}`
  const reply = await service.get<Single<{ photo_urls: string[] }>>(path, { token: token.token })
  const [url = ''] = reply.json.data.photo_urls
  expect((await service.get(new URL(url).pathname)).status).toBe(404)
  const signature = url.split('.').at(-1) ?? ''
  expect(signature).toHaveLength(43)
  expect(service.log()).not.toContain(signature)
})

test('the database is never sent a secret, neither when a token is issued nor when it is used', () => {
  const sent = proxy.sent()
  expect(sent).toContain('api_v1.list_items')
  expect(sent).toContain('access.issue_token')
  expectNoSecret(sent)
})

test('the database keeps a digest and the display prefix, and no more of the secret', async () => {
  const tables = await world.owner<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'access')`,
  )
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of tables) {
    const [dump] = await world.owner<{ text: string | null }>(
      `select string_agg(t::text, E'\\n') as text from ${name} t`,
    )
    expectNoSecret(dump?.text ?? '')
  }
  const [stored] = await world.owner<{ prefix: string }>('select prefix from access.tokens where id = $1', [token.id])
  expect(stored?.prefix).toBe(token.token.slice(0, 'svc_studio_'.length + 4))
})

test('the log of the database server contains no secret', async () => {
  const folder = await asAdmin(world.database, async (admin) => (await admin.query('show data_directory')).rows[0])
  // Only a server on this machine has a log that can be read; what it is sent is tested above.
  const log = await readFile(join(folder.data_directory, '../postgres.log'), 'latin1').catch(() => proxy.sent())
  expect(log).toContain('api_v1.list_items')
  expectNoSecret(log)
})
