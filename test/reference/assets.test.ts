import { afterAll, beforeAll, expect, it } from 'vitest'
import { sources } from '../../src/docs/routes.ts'
import { loadAssets } from '../../src/web/static.ts'
import { type RunningApp, startApp } from '../http/support.ts'

const { version } = await loadAssets(sources)
let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const get = (path: string) => fetch(`http://127.0.0.1:${app.port}${path}`)

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
