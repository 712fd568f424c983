import type pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { mapAnalyst } from '../support/cast.ts'
import { useCast } from '../support/cast-database.ts'
import { asAdmin, withClient } from '../support/server.ts'
import { readAll, withAnalyst } from './support.ts'

const stage = useCast()

let seenByA: Record<string, string[]>
beforeAll(async () => {
  seenByA = await withClient(stage.cast.a.analyst.url, readAll)
})

it('an analyst sees their own studio: every view has rows, and none of another studio', () => {
  expect(Object.keys(seenByA)).toHaveLength(16)
  for (const [view, rows] of Object.entries(seenByA)) expect(rows, view).not.toHaveLength(0)
  stage.cast.expectNoCanary(JSON.stringify(seenByA))
})

it('the other analyst sees the canary, so that looking for it proves something', async () => {
  const seenByB = await withClient(stage.cast.b.analyst.url, readAll)
  for (const [view, rows] of Object.entries(seenByB)) {
    if (view === 'api_v1.assignments' || view === 'api_v1.relationships') continue
    // Views of these names have no text, but days and amounts like no other.
    const mark = /removals|depreciation|workings|sums_on/.test(view) ? /found / : stage.cast.canary
    expect(() => stage.cast.expectNoCanary(rows.join('\n')), view).toThrow(mark)
  }
})

/** Everything that a session can do to pretend that it is studio B's. */
const forgeries: Record<string, (client: pg.Client, b: { id: string; login: string }) => Promise<unknown>> = {
  SET: (client, b) => client.query(`set "studio.id" = '${b.id}'`),
  'SET LOCAL': (client, b) => client.query(`begin; set local studio.id = '${b.id}'`),
  set_config: (client, b) => client.query(`select set_config('studio.id', $1, false)`, [b.id]),
  'set_config in the same statement': (client, b) =>
    client.query(`select set_config('studio.id', $1, false), (select count(*) from api_v1.items)`, [b.id]),
  'other names that such a setting could have': async (client, b) => {
    const names = 'app.studio_id access.studio_id request.studio_id request.jwt.claims jwt.claims.studio_id'
    for (const name of names.split(' ')) {
      await client.query(`select set_config($1, $2, false)`, [name, b.id])
    }
  },
  'SET ROLE to the group': (client) => client.query('set role studio_analyst'),
  application_name: (client, b) => client.query(`select set_config('application_name', $1, false)`, [b.login]),
}

describe('A’s analyst who names studio B', () => {
  it('by whatever a session can do sees A’s rows', async () => {
    const { a, b } = stage.cast
    await withClient(a.analyst.url, async (client) => {
      for (const [what, forge] of Object.entries(forgeries)) {
        await forge(client, { id: b.id, login: b.analyst.login })
        expect(await readAll(client), what).toEqual(seenByA)
        await client.query('rollback')
        await client.query('discard all')
      }
    })
  })

  it('in every setting there is sees A’s rows', async () => {
    const { a, b } = stage.cast
    await withClient(a.analyst.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(`select name from pg_settings where context = 'user'`)
      expect(rows.length).toBeGreaterThan(100)
      const taken: string[] = []
      for (const { name } of rows) {
        for (const value of [b.id, b.analyst.login]) {
          await client.query(`select set_config($1, $2, false)`, [name, value]).then(
            () => taken.push(name),
            () => undefined, // not a value of this setting
          )
        }
      }
      expect(taken).toContain('search_path')
      await client.query('set timezone to default') // it took the id, and would show moments in another way
      expect(await readAll(client)).toEqual(seenByA)
    })
  })

  it('in the options of the connection sees A’s rows', async () => {
    const { a, b } = stage.cast
    const url = new URL(a.analyst.url)
    url.searchParams.set('options', `-c studio.id=${b.id}`)
    await withClient(url.href.replaceAll('+', '%20'), async (client) => {
      const { rows } = await client.query(`select current_setting('studio.id') as id`)
      expect(rows[0].id).toBe(b.id)
      expect(await readAll(client)).toEqual(seenByA)
    })
  })

  it('in the settings of their own role sees A’s rows, even if an administrator set them', async () => {
    const { database, cast } = stage
    await withAnalyst(database, async ({ login, url }) => {
      await mapAnalyst(database, login, cast.a.id)
      const forgery = `set studio.id = '${cast.b.id}'`
      await withClient(url, async (client) => {
        for (const where of ['', `in database ${database.name}`]) {
          const altered = client.query(`alter role current_user ${where} ${forgery}`)
          await expect(altered).rejects.toMatchObject({ code: '42501' })
        }
      })
      await asAdmin(database, (admin) => admin.query(`alter role ${login} ${forgery}`))
      await withClient(url, async (client) => {
        const { rows } = await client.query(`select current_setting('studio.id') as id`)
        expect(rows[0].id).toBe(cast.b.id)
        expect(await readAll(client)).toEqual(seenByA)
      })
    })
  })

  it('and switches row-level security off gets an error in place of rows', async () => {
    await withClient(stage.cast.a.analyst.url, async (client) => {
      await client.query('set row_security = off')
      await expect(client.query('select * from api_v1.items')).rejects.toMatchObject({ code: '42501' })
    })
  })
})

it('an analyst who is mapped to no studio sees nothing, even when they name a studio', async () => {
  await withClient(stage.cast.unmapped.url, async (client) => {
    for (const id of ['', stage.cast.a.id, stage.cast.b.id]) {
      await client.query(`select set_config('studio.id', $1, false)`, [id])
      expect(Object.values(await readAll(client)).flat()).toEqual([])
    }
  })
})
