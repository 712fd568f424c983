import { describe, expect, it } from 'vitest'
import { asRole, withClient } from '../support/server.ts'
import { lookOf, told, useOffice } from './support.ts'

const office = useOffice()

const recordOf = (login: string) =>
  told<{ text: string; times: string; studio_id: string }>(
    office,
    'select text, times, studio_id from access.analyst_statements where login = $1 order by first_at, text',
    [login],
  )

describe('what analysts ask', () => {
  it('is recorded once for each login and statement, however often it is executed, with another constant too', async () => {
    const { a, b } = office.cast
    const ours = await office.hire(a.id)
    const theirs = await office.hire(b.id)
    await withClient(ours.url, (client) =>
      withClient(theirs.url, async (other) => {
        for (const limit of [1, 2, 3]) {
          await client.query(`select name from items limit ${limit}`)
          await other.query('select count(*) from items where name = $1', ['a value'])
          await lookOf(office)
          await lookOf(office)
        }
      }),
    )
    expect(await recordOf(ours.login)).toEqual([
      { text: 'select name from items limit 1', times: '3', studio_id: a.id },
    ])
    expect(await recordOf(theirs.login)).toEqual([
      { text: 'select count(*) from items where name = $1', times: '3', studio_id: b.id },
    ])
  })

  it('is recorded to the length that the server shows', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await withClient(url, async (client) => {
      await client.query(`select 1 /* ${'x'.repeat(1_000_000)} */`)
      await lookOf(office)
    })
    const [server] = await told<{ bytes: number }>(
      office,
      `select setting::int as bytes from pg_settings where name = 'track_activity_query_size'`,
    )
    const [recorded] = await recordOf(login)
    expect(recorded?.text).toHaveLength((server?.bytes ?? 0) - 1)
  })

  it('keeps the newest thousand statements of each login', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await told(
      office,
      `insert into access.analyst_statements (login, query_id, studio_id, text, first_at, last_at)
       select $1, n, $2, 'statement ' || n, now() - n * interval '1 second', now() - n * interval '1 second'
       from generate_series(1, 1004) n`,
      [login, office.cast.a.id],
    )
    await withClient(url, async (client) => {
      await client.query('select name from account')
      await lookOf(office)
    })
    const kept = await recordOf(login)
    expect(kept).toHaveLength(1_000)
    expect(kept.map(({ text }) => text)).toContain('select name from account')
    expect(kept.map(({ text }) => text)).not.toContain('statement 1000')
  })

  it('is forgotten 90 days after it was last asked', async () => {
    const { login } = await office.hire(office.cast.a.id)
    for (const days of [89, 91])
      await told(
        office,
        `insert into access.analyst_statements (login, query_id, studio_id, text, first_at, last_at)
         select $1, d, $3, 'days ago: ' || d, now() - interval '1 year', now() - d * interval '1 day' from (select $2::int as d) x`,
        [login, days, office.cast.a.id],
      )
    await asRole(office.database, 'studio_recorder', (recorder) => recorder.query('select access.purge_activity()'))
    expect((await recordOf(login)).map(({ text }) => text)).toEqual(['days ago: 89'])
  })
})
