import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useSql } from '../support.ts'

const sql = useSql()

const wire = (moment: string | null) => sql.api.value<string | null>('select api_v1.rfc3339($1::timestamptz)', [moment])

test.each([
  ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
  ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
  ['2026-12-31T23:59:59.999-12:00', '2027-01-01T11:59:59.999Z'],
  ['2024-02-29T12:00:00.100Z', '2024-02-29T12:00:00.100Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s on the wire', async (moment, text) => {
  expect(await wire(moment)).toBe(text)
})

test('nothing is null', async () => {
  expect(await wire(null)).toBeNull()
})

test('every moment comes back as the same moment, whatever the time zone of the session', async () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  await fc.assert(
    fc.asyncProperty(
      moment,
      fc.constantFrom('UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Europe/Berlin'),
      async (at, zone) => {
        await sql.api.rows(`select set_config('timezone', $1, false)`, [zone])
        expect(await wire(at.toISOString())).toBe(at.toISOString())
      },
    ),
    { numRuns: 200 },
  )
  await sql.api.rows('reset timezone')
})
