import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askWith, type Session, type Studio, useSql } from '../sql/support.ts'
import { mapAnalyst } from '../support/cast.ts'
import { withClient } from '../support/server.ts'
import { withAnalyst } from './support.ts'

const sql = useSql()

let studio: Studio
let shown: string
beforeAll(async () => {
  studio = await sql.studio({ timezone: 'America/New_York' })
  const item = await studio.add('items', { acquisition_date: '2024-02-29' })
  await studio.add('maintenance_records', { item_id: item, status: 'completed', completed_date: '1999-12-31' })
  await studio.add('policies', { effective_start: '2000-01-01', effective_end: '9999-12-31' })
  await studio.market(item, '10', '2024-02-29T23:59:59.999Z')
  shown = await answers(sql.api)
  expect(shown).toContain('"acquisition_date":"2024-02-29"')
  expect(shown).toContain('"completed_date":"1999-12-31"')
  expect(shown).toContain('"effective_end":"9999-12-31"')
  expect(shown).toContain('"market_value_as_of":"2024-02-29T23:59:59.999Z"')
})

const processZone = process.env.TZ
afterEach(() => {
  // Assigned undefined it would be the text "undefined".
  if (processZone === undefined) delete process.env.TZ
  else process.env.TZ = processZone
})

describe.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'America/St_Johns'])('in %s', (zone) => {
  it('a writer’s date is kept as it was given', async () => {
    await sql.writer.begin(studio)
    await sql.writer.rows(`set local timezone = '${zone}'`)
    const insert = `insert into app.items (studio_id, name, acquisition_date) values ($1, 'Item', '2024-03-01')`
    const kept = await sql.writer.value(`${insert} returning acquisition_date::text`, [studio.id])
    await sql.writer.rows('rollback')
    expect(kept).toBe('2024-03-01')
  })

  it('the service’s session answers the same to the letter, in another date style as well', async () => {
    const session = await sql.connect('studio_api')
    await session.rows(`set timezone = '${zone}'`)
    await session.rows(`set datestyle = 'SQL, DMY'`)
    expect(await answers(session)).toBe(shown)
  })

  it('the service itself gives the same answers to the letter', async () => {
    process.env.TZ = zone
    expect(new Date('2024-02-29T12:00:00Z').getHours()).not.toBe(12)
    expect(await answers(sql.api)).toBe(shown)
    const days = `select '2024-02-29'::date as day, '{2024-02-29}'::date[] as days,
      '2024-02-29 12:00'::timestamp as time`
    expect(await sql.api.row(days)).toEqual({ day: '2024-02-29', days: ['2024-02-29'], time: '2024-02-29 12:00:00' })
  })

  it('a database answers the same to the letter, and its analysts see the same days and moments', async () => {
    await sql.admin.rows(`alter database ${sql.database.name} set timezone = '${zone}'`)
    expect(await answers(await sql.connect('studio_api'))).toBe(shown)
    await withAnalyst(sql.database, async ({ login, url }) => {
      await mapAnalyst(sql.database, login, studio.id)
      const text = `select current_setting('timezone') as zone, acquisition_date as day,
        extract(epoch from market_value_as_of)::text as moment from api_v1.items`
      const { rows } = await withClient(url, (client) => client.query(text))
      expect(rows).toEqual([{ zone, day: '2024-02-29', moment: '1709251199.999000' }])
    })
    await sql.admin.rows(`alter database ${sql.database.name} reset timezone`)
  })
})

/** What the service answers about the studio. */
async function answers(session: Session): Promise<string> {
  const all = []
  for (const [operation, ...values] of [
    ['list_items', 1, 50, null, null, null],
    ['list_maintenance', 1, 50, null, null, null],
    ['list_policies', 1, 50, null],
    ['list_locations', 1, 50, null],
    ['get_account'],
  ] as const) {
    const answer = await askWith(session, operation, studio.digest, ...values)
    expect(answer.status).toBe(200)
    all.push(answer.data)
  }
  return all.join('\n')
}
