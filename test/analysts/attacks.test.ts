import { beforeAll, describe, expect, it } from 'vitest'
import { alone, definitions, functions, powers, writes } from '../isolation/statements.ts'
import { attempt, inDiscarded } from '../isolation/support.ts'
import type { Analyst } from '../support/cast.ts'
import { withClient } from '../support/server.ts'
import { failureOf, useOffice } from './support.ts'

const office = useOffice()

let analyst: Analyst
let other: Analyst
beforeAll(async () => {
  analyst = await office.hire(office.cast.a.id)
  other = await office.hire(office.cast.b.id)
})

describe('a login made by the command', () => {
  it.each([
    ['writes no row', writes],
    ['makes no code, no temporary table, nothing', definitions],
    ['makes no lock, no large object, and has no powers over the server', powers],
    ['decides about nobody’s access', functions],
    ['does not see what the watchdog sees', ['select access.watch_analysts()']],
  ])('%s, even when it may write', async (_title, statements) => {
    const done = await withClient(analyst.url, (client) =>
      inDiscarded(client, async () => {
        const tried: string[] = []
        for (const text of statements) {
          const state = await attempt(client, text)
          if (state !== '42501') tried.push(`${state} ${text}`)
        }
        return tried
      }),
    )
    expect(done).toEqual([])
  })

  it.each(alone)('is denied: %s', async (text) => {
    await withClient(analyst.url, async (client) => {
      await client.query('set default_transaction_read_only = off')
      expect(await failureOf(client.query(text))).toBe('42501')
    })
  })
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
          (result) => result.rows.map(({ row }) => row).join('\n'),
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

it('a message on a channel that another studio listens to is all that can be said, and nobody here listens', async () => {
  await withClient(analyst.url, async (client) => {
    const heard: unknown[] = []
    client.on('notification', (message) => heard.push(message))
    await withClient(other.url, (theirs) => theirs.query(`notify elsewhere, '${office.cast.canary}'`))
    await client.query('select 1')
    expect(heard).toEqual([])
  })
})
