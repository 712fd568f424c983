import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { docsUrl, emptyList, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

describe('what went wrong', () => {
  test('a plan without API access: 403, without WWW-Authenticate', async () => {
    app.answer(() => ({ status: 403, plan_tier: null }))
    const reply = await app.get('/v1/items')
    expect(reply.status).toBe(403)
    expect(reply.headers['www-authenticate']).toBeUndefined()
    expect(problem.parse(JSON.parse(reply.body))).toMatchObject({
      code: 'plan_required',
      type: `${docsUrl}#error-plan-required`,
    })
  })

  test('a database that cannot be used: 503 with Retry-After', async () => {
    for (const error of [new DatabaseUnavailable('down'), new Error('Connection terminated unexpectedly')]) {
      app.answer(() => error)
      const reply = await app.get('/v1/items')
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '2'])
      expect(problem.parse(JSON.parse(reply.body)).code).toBe('unavailable')
    }
  })

  test('anything unexpected: 500 with the request id, and not a word of the cause', async () => {
    const causes = [new Error('canary-4711'), Object.assign(new Error('canary-4711'), { code: '42703' })]
    for (const cause of causes) {
      app.answer(() => cause)
      const reply = await app.get('/v1/items')
      expect(reply.status).toBe(500)
      expect(problem.parse(JSON.parse(reply.body)).request_id).toBe(reply.headers['x-request-id'])
      expect(reply.body + reply.rawHeaders.join()).not.toContain('canary-4711')
      expect(app.log()).toContain(`"request_id":"${reply.headers['x-request-id']}"`)
    }
    expect(app.log()).toContain('canary-4711')
  })

  test('a status that no operation has: 500', async () => {
    app.answer(() => ({ status: 302 }))
    expect((await app.get('/v1/items')).status).toBe(500)
  })

  test('errors are problems with their members in one order', async () => {
    const reply = await app.get('/v1/items?page=0')
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(Object.keys(JSON.parse(reply.body))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'request_id',
      '_meta',
      'errors',
    ])
  })
})
