import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { itemId, newToken, type Reply, type RunningApp, startApp, withoutRequestId } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
  app.answer(() => ({ status: 401 }))
})
afterAll(() => app.close())

const token = newToken()
const secret = token.slice('svc_studio_'.length)

const causes: [cause: string, headers: Record<string, string | string[]>, path?: string][] = [
  ['no header', {}],
  ['an empty header', { Authorization: '' }],
  ['the word alone', { Authorization: 'Bearer' }],
  ['the word and a space', { Authorization: 'Bearer ' }],
  ['the token alone', { Authorization: token }],
  ['Basic', { Authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` }],
  ['another scheme', { Authorization: `Token ${token}` }],
  ['a wrong prefix', { Authorization: `Bearer abc_studio_${secret}` }],
  ['a tier that is none', { Authorization: `Bearer svc_free_${secret}` }],
  ['a tier in capitals', { Authorization: `Bearer svc_STUDIO_${secret}` }],
  ['31 characters', { Authorization: `Bearer ${token.slice(0, -1)}` }],
  ['33 characters', { Authorization: `Bearer ${token}a` }],
  ['a character that is not base62', { Authorization: `Bearer ${token.slice(0, -1)}-` }],
  ['a letter of another script', { Authorization: Buffer.from(`Bearer ${token.slice(0, -1)}é`).toString('latin1') }],
  ['two tokens in one header', { Authorization: `Bearer ${token}, Bearer ${token}` }],
  ['two headers', { Authorization: [`Bearer ${token}`, `Bearer ${token}`] }],
  ['an 8 kB token', { Authorization: `Bearer svc_studio_${'a'.repeat(8_000)}` }],
  ['a token that the database does not know', { Authorization: `Bearer ${token}` }],
  ['a token in the URL', {}, `/v1/items?access_token=${token}&token=${token}`],
  ['a token in a cookie', { Cookie: `token=${token}` }],
  ['a token in another header', { 'X-Api-Key': token, 'Proxy-Authorization': `Bearer ${token}` }],
]

async function ask(headers: Record<string, string | string[]>, path = '/v1/items'): Promise<Reply> {
  return app.get(path, { token: null, headers })
}

test.each(causes)('%s: 401, like every other', async (_, headers, path) => {
  const reply = await ask(headers, path)
  expect(reply.status).toBe(401)
  expect(reply.headers['www-authenticate']).toBe('Bearer')
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('ratelimit') || name === 'retry-after')).toEqual(
    [],
  )
  expect(problem.parse(JSON.parse(reply.body)).code).toBe('unauthenticated')
  expect(withoutRequestId(reply)).toBe(withoutRequestId(await ask({})))
})

test('a malformed token makes no statement', async () => {
  const before = app.queries.length
  for (const [cause, headers, path] of causes) if (!cause.includes('database')) await ask(headers, path)
  expect(app.queries.length).toBe(before)
})

test('every operation answers 401 alike', async () => {
  const first = withoutRequestId(await ask({}))
  for (const { path } of operations) {
    expect(withoutRequestId(await ask({}, `/v1${path.replace('{id}', itemId)}`))).toBe(first)
    expect(withoutRequestId(await app.get(`/v1${path.replace('{id}', 'x')}`))).toBe(first)
  }
})

test('the word Bearer is matched whatever its case', async () => {
  app.answer(() => ({ status: 200, total: '0', data: '' }))
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
    expect((await ask({ Authorization: `${word} ${token}` })).status).toBe(200)
  }
  app.answer(() => ({ status: 401 }))
})
