import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'
import { type GraphqlService, startGraphql } from './support.ts'

const world = useWorld()
const base = '/studio/analysis'
let graphql: GraphqlService
beforeAll(async () => {
  const identity = async (host: string | undefined) => (host?.startsWith('127.0.0.1') ? 'a.b.c' : null)
  graphql = await startGraphql(world.database, { page: { base, command: 'npx studio-inventory', identity } })
})
afterAll(() => graphql?.stop())

const read = (path: string, headers = {}) => graphql.ask('', { method: 'GET', path, headers })

test('behind a proxy’s path, the page loads its files and sends its queries below that path', async () => {
  const { text } = await read('/')
  const addresses = [...text.matchAll(/"(\/[\w/.-]*)"/g)].map(([, address]) => address)
  expect(addresses).toContain(`${base}/graphql`)
  expect(addresses).toContain(`${base}/ruru/ruru.js`)
  for (const address of addresses) expect(address).toMatch(`${base}/`)
  expect(text).not.toMatch(/https?:\/\//)
})

test('the page has an identity where everybody may use one, and says elsewhere how to get one', async () => {
  expect((await read('/')).text).toContain('Bearer a.b.c')
  const { text } = await read('/', { Host: 'elsewhere.example' })
  expect(text).not.toContain('a.b.c')
  expect(text).toContain('npx studio-inventory analyst token')
})

test('a file of the page is compressed for browsers, and not sent again while it is the same', async () => {
  const { headers, bytes } = await read('/ruru/ruru.js', { 'Accept-Encoding': 'br' })
  expect(headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(bytes).length).toBeGreaterThan(3 * bytes.length)
  expect((await read('/ruru/ruru.js', { 'If-None-Match': headers.etag })).status).toBe(304)
})

test.each(['/ruru/ruru.js.map', '/ruru/nothing.js', '/ruru/../package.json'])('there is no %s', async (path) => {
  expect((await read(path)).status).toBe(404)
})
