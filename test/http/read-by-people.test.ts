import { afterAll, beforeAll, expect, test } from 'vitest'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { type RunningApp, startApp } from './support.ts'

/** What Firefox and Chromium send when somebody opens an address. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const ask = (path: string, Accept?: string) =>
  app.get(path, { token: null, headers: Accept === undefined ? {} : { Accept } })

test.each(['/v1/items', '/v1/nothing', '/favicon.png'])(
  'a browser that opens %s gets the problem in lines',
  async (path) => {
    const [shown, sent] = [await ask(path, browser), await ask(path)]
    expect([shown.status, shown.headers['content-type']]).toEqual([sent.status, sent.headers['content-type']])
    const { request_id: shownId, ...other } = problem.parse(JSON.parse(shown.body))
    const { request_id: sentId, ...same } = problem.parse(JSON.parse(sent.body))
    expect(other).toEqual(same)
    expect(shown.body.split('\n').length).toBeGreaterThan(10)
    expect(shown.headers['content-length']).toBe(String(Buffer.byteLength(shown.body)))
  },
)

test.each([undefined, '*/*', 'application/json', 'application/problem+json'])(
  'a program gets it in one: %s',
  async (accept) => {
    expect((await ask('/v1/items', accept)).body.split('\n')).toHaveLength(1)
  },
)
