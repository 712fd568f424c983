import { describe, expect, test } from 'vitest'
import { useMetrics } from './support.ts'

const { measured } = useMetrics()

describe('the admin port', () => {
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(measured.url + path, init)
    return { status: response.status, body: await response.text(), headers: response.headers }
  }

  test('says that the service lives; that it can answer, only while it can', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect(await get('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('starting') })
    measured.admin.readyWhen(async () => ({ ready: true, schemaVersion: '000001.sql' }))
    expect(await get('/readyz')).toMatchObject({
      status: 200,
      body: '{"status":"ready","schema_version":"000001.sql"}',
    })
    measured.admin.readyWhen(() => Promise.reject(new Error('no')))
    expect(await get('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('failed') })
  })

  test('has nothing else, and is read only', async () => {
    expect((await get('/v1/items')).status).toBe(404)
    expect((await get('/metrics?x=1')).headers.get('cache-control')).toBe('no-store')
    const refused = await get('/metrics', { method: 'POST' })
    expect(refused).toMatchObject({ status: 405 })
    expect(refused.headers.get('allow')).toBe('GET, HEAD')
  })
})
