import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type List, type Row, useWorld } from '../support/world.ts'

const world = useWorld()
let studio = { id: '', token: '' }
let item = ''
beforeAll(async () => {
  studio = await world.newStudio()
  item = await world.add('items', { name: 'The only one' }, studio.id)
})

const list = (query = '') => world.read<List<Row>>(`/v1/items${query}`, { token: studio.token })
const isListed = async (since: string) => (await list(`?updated_since=${encodeURIComponent(since)}`)).meta.total === 1

/** Any moment that has four digits for its year in every time zone. */
const moment = fc
  .integer({ min: Date.UTC(1901, 0, 1), max: Date.UTC(9998, 11, 31) })
  .map((milliseconds) => new Date(milliseconds))

/** Minutes east of UTC, as offsets are written. */
const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })

/** The same moment on a clock that far east of UTC, in the extended or the basic form, with three or more decimals. */
function written(at: Date, minutes: number, basic: boolean, zeros: number): string {
  const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1) + '0'.repeat(zeros)
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  )
  const sign = minutes < 0 ? '-' : '+'
  return basic ? `${local.replace(/[-:]/g, '')}${sign}${hours}${rest}` : `${local}${sign}${hours}:${rest}`
}

test('any timestamp comes out of the API as it went in, and goes back in as what it is, to the millisecond', async () => {
  await fc.assert(
    fc.asyncProperty(moment, offset, fc.boolean(), fc.nat(4), async (at, minutes, basic, zeros) => {
      await world.setUpdatedAt('items', { [item]: at.toISOString() }, studio.id)
      const [shown] = (await list()).data
      expect(shown?.updated_at).toBe(at.toISOString())
      expect(await isListed(shown?.updated_at ?? '')).toBe(true)
      expect(await isListed(written(at, minutes, basic, zeros))).toBe(true)
      expect(await isListed(written(new Date(at.getTime() + 1), minutes, basic, zeros))).toBe(false)
      expect(await isListed(written(new Date(at.getTime() - 1), minutes, basic, zeros))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('no text makes updated_since anything but a 200 or a 400', async () => {
  const digitsAndMarks = fc.string({ unit: fc.constantFrom(...'0123456789-:+.,TZWz /'), maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(fc.oneof(digitsAndMarks, fc.string({ unit: 'binary', maxLength: 40 })), async (text) => {
      const path = `/v1/items?updated_since=${encodeURIComponent(text.toWellFormed())}`
      const { status } = await world.get(path, { token: studio.token })
      expect([200, 400]).toContain(status)
    }),
    { numRuns: 150 },
  )
})

test('any date comes out as the day that went in, whatever the studio’s time zone', async () => {
  const zone = fc.constantFrom(
    'UTC',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'America/Sao_Paulo',
    'Europe/Lisbon',
    'Asia/Kolkata',
  )
  const day = moment.map((at) => at.toISOString().slice(0, 10))
  await fc.assert(
    fc.asyncProperty(zone, day, async (timezone, acquisition_date) => {
      await world.owner('update app.studios set timezone = $2 where id = $1', [studio.id, timezone])
      await world.write(
        ({ query }) => query('update app.items set acquisition_date = $2 where id = $1', [item, acquisition_date]),
        studio.id,
      )
      const { data } = await world.read<List<{ acquisition_date: string }>>('/v1/items', { token: studio.token })
      expect(data[0]?.acquisition_date).toBe(acquisition_date)
    }),
    { numRuns: 40 },
  )
})
