import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { verdictOf } from './prism.ts'
import { exchangeHeader } from './replay.ts'

/** Prism as the witness of test/rest uses it: it must object to what is wrong, or its silence says nothing. */
const _meta = { disclaimers: ['one', 'two'], documentation_url: 'https://docs.example.com#adequacy-disclaimer' }
const data = {
  name: 'Studio',
  plan_tier: 'studio',
  is_trial: false,
  trial_ends_at: null,
  current_period_start: '2026-01-01T00:00:00.000Z',
  current_period_end: null,
  item_count: 6,
  currency: 'EUR',
  timezone: 'UTC',
}
const right = {
  status: 200,
  headers: { 'Content-Type': 'application/json', 'X-Request-Id': randomUUID(), 'Cache-Control': 'no-store' },
  body: { data, _meta } as unknown,
}

async function verdictOn(answer: Partial<typeof right>, target = '/account'): Promise<string | null> {
  const { replay, validating } = inject('witnessing')
  const { status, headers, body } = { ...right, ...answer }
  const name = randomUUID()
  const recorded = {
    status,
    headers: Object.entries(headers).flat(),
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
  }
  await fetch(`${replay}/${name}`, { method: 'PUT', body: JSON.stringify(recorded) })
  const response = await fetch(validating + target, {
    headers: { Authorization: 'Bearer token', [exchangeHeader]: name },
  })
  return verdictOf(await response.text())
}

test('Prism lets pass what is as it is described', async () => {
  expect(await verdictOn({})).toBeNull()
})

describe('Prism objects to', () => {
  const { 'X-Request-Id': _, ...withoutId } = right.headers
  test.each<[string, Partial<typeof right>, RegExp]>([
    ['a field more', { body: { data: { ...data, studio_id: 'x' }, _meta } }, /additional properties/],
    ['a field less', { body: { data: { ...data, name: undefined }, _meta } }, /required property 'name'/],
    ['a value that is none of them', { body: { data: { ...data, plan_tier: 'free' }, _meta } }, /plan_tier/],
    ['a time in another form', { body: { data: { ...data, current_period_start: '2026-01-01' }, _meta } }, /pattern/],
    ['null where it cannot be', { body: { data: { ...data, item_count: null }, _meta } }, /item_count/],
    ['a missing header', { headers: withoutId as typeof right.headers }, /x-request-id/],
    ['a header in another form', { headers: { ...right.headers, 'Cache-Control': 'public' } }, /cache-control/],
    ['another media type', { headers: { ...right.headers, 'Content-Type': 'text/html' } }, /media type/],
    ['an error that is no problem', { status: 418, body: {} }, /418|media type|required property/],
  ])('%s', async (_, answer, message) => {
    expect(await verdictOn(answer)).toMatch(message)
  })

  test('a request that is not described', async () => {
    expect(await verdictOn({}, '/items?per_page=0')).toMatch(/per_page/)
    expect(await verdictOn({}, '/nothing')).toMatch(/no path matched/)
  })
})
