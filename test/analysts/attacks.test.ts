import { beforeAll, expect, it } from 'vitest'
import type { Analyst } from '../support/cast.ts'
import { withClient } from '../support/server.ts'
import { useOffice } from './support.ts'

const office = useOffice()

let analyst: Analyst
let other: Analyst
beforeAll(async () => {
  analyst = await office.hire(office.cast.a.id)
  other = await office.hire(office.cast.b.id)
})

it('nothing in the catalog tells what another studio’s analyst is doing, or calls it', async () => {
  const { cast } = office
  await withClient(other.url, async (theirs) => {
    await theirs.query(`set application_name = '${cast.canary}'`)
    await theirs.query('begin')
    await theirs.query(`select * from items where name = '${cast.canary}'`)
    await theirs.query(`prepare ours as select '${cast.canary}'`)
    await theirs.query(`listen "${cast.canary}"`)

    const read: string[] = []
    await withClient(analyst.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select c.oid::regclass::text as name from pg_class c
         where c.relkind in ('r', 'v') and c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
           -- The names of all time zones, B's among them, and as it writes itself.
           and c.relname !~ '^pg_timezone_'
         order by 1`,
      )
      for (const { name } of rows) {
        const text = await client.query(`select t::text as row from ${name} t`).then(
          // Which time zones logins have is shown to all: docs/row-level-security.md.
          (result) => result.rows.map(({ row }) => row.replace(/TimeZone=[^,}]+/, '')).join('\n'),
          (error: Error) => error.message,
        )
        cast.expectNoCanary(text)
        if (!text.startsWith('permission denied')) read.push(name)
      }
    })
    expect(read).toContain('pg_roles')
    expect(read).toContain('pg_prepared_statements')
    expect(read).not.toContain('pg_stat_activity')
  })
})
