import { expect } from 'vitest'
import { csvType, prefersCsv } from '../../src/api/body.ts'
import { operations, prefix } from '../../src/api/operations.ts'
import { problem } from '../../src/docs/openapi/responses.ts'
import type { Reply } from './client.ts'
import { gateMessage } from './gate-message.ts'

const routes = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${prefix}${operation.path.replace('{id}', '[^/]+')}$`),
}))

/** Throws when a response lacks what every response has, or its strict schema refuses the body. */
export function expectValid(method: string, path: string, reply: Reply, accepted: { accept?: string } = {}): void {
  const { status, headers, bytes, text, json } = reply
  const about = `${method} ${path.slice(0, 200)} → ${status} ${text.slice(0, 500)}`
  expect(headers['x-request-id'], about).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const target = path.split('?')[0] ?? ''
  const isKept = /^\/openapi\.(?:json|yaml)$/.test(target) && status < 400
  expect(headers['cache-control'], about).toBe(isKept ? 'no-cache' : 'no-store')
  expect(headers, about).not.toHaveProperty('x-powered-by')
  if (method === 'HEAD' || status === 304) {
    expect(bytes.length, about).toBe(0)
    if (status === 304) expect(headers.etag, about).toMatch(/^W\/"/)
    return
  }
  expect(Number(headers['content-length']), about).toBe(bytes.length)
  if (status === 503 && target === '/readyz') return
  if (status >= 400) {
    expect(headers['content-type'], about).toBe('application/problem+json; charset=utf-8')
    const error = parsed(problem, json, about, 'src/docs/openapi/responses.ts')
    expect([error.status, error.request_id], about).toEqual([status, headers['x-request-id']])
    return
  }
  expect(status, about).toBe(200)
  const route = routes.find(({ pattern }) => pattern.test(target))
  if (route === undefined) {
    expect(target, about).toMatch(/^\/(?:healthz|readyz|openapi\.(?:json|yaml)|photos\/[^/]+)$/)
    return
  }
  if (prefersCsv(route.operation, { headers: accepted })) {
    expect(headers['content-type'], about).toBe(csvType)
    return
  }
  expect(headers['content-type'], about).toBe('application/json; charset=utf-8')
  const { id } = route.operation
  const edit = `the schema of ${id} in src/api/, or its SQL; then commit migrations/current.sql`
  parsed(route.operation.schema, json, about, edit)
}

type Schema<Output> = {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: { message: string } }
}

function parsed<Output>(schema: Schema<Output>, value: unknown, about: string, edit: string): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const wrong = `an answer does not have the shape of its schema: ${result.error.message}`
  throw new Error(gateMessage({ wrong, edit, run: 'npx vitest run test/rest' }) + about)
}
