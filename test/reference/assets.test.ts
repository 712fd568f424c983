import { afterAll, beforeAll, expect, it } from 'vitest'
import { sources } from '../../src/docs/routes.ts'
import { loadAssets } from '../../src/web/static.ts'
import { type RunningApp, startApp } from '../http/support.ts'

const { version, files } = await loadAssets(sources)
let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

async function get(path: string, encoding = 'identity') {
  const headers = { 'Accept-Encoding': encoding }
  const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

it.each([...files.keys()])('%s is served whole, with its type, to be kept forever', async (name) => {
  const { status, headers, body } = await get(`/docs/assets/${version}/${name}`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe(types[name.split('.')[1] ?? ''])
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('content-length')).toBe(String(body.length))
  expect(body.equals(files.get(name)?.body.plain ?? Buffer.alloc(0))).toBe(true)
})

it('is sent compressed to those who take it', async () => {
  const path = `/docs/assets/${version}/docs.css`
  const raw = await app.get(path, { token: null, headers: { 'Accept-Encoding': 'br;q=0.5, gzip' } })
  expect(raw.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(Number(raw.headers['content-length'])).toBeLessThan(10_000)
})

it('is given to the page of another release as well, but not to be kept', async () => {
  const { status, headers } = await get('/docs/assets/0123456789abcdef/docs.css')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
})

it.each(['none.js', '..%2f..%2fpackage.json', '%2e%2e%2fserve.ts', 'constructor'])(
  'nothing else is there: %j',
  async (name) => {
    const { status, headers } = await get(`/docs/assets/${version}/${name}`)
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8'])
  },
)
