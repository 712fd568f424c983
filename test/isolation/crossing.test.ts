import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { asAdmin, asOwner, asRole, type TestDatabase } from '../support/server.ts'
import { attempt, inDiscarded, useCast } from './support.ts'

const stage = useCast()

/** Rows of A that point at a row of B, by the constraint that refuses them. */
const crossings: Record<string, (a: Ids, b: Ids) => string> = {
  'an assignment to a policy': (a, b) =>
    `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${a.id}', '${a.item}', '${b.policy}')`,
  'an assignment of an item': (a, b) =>
    `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${a.id}', '${b.item}', '${a.policy}')`,
  'an assignment that is moved to a policy': (a, b) =>
    `update app.policy_assignments set policy_id = '${b.policy}' where studio_id = '${a.id}'`,
  'a photo of an item': (a, b) =>
    `insert into app.item_photos (studio_id, item_id, storage_key) values ('${a.id}', '${b.item}', 'a.png')`,
  'a market value of an item': (a, b) =>
    `insert into app.market_values (studio_id, item_id, value, as_of) values ('${a.id}', '${b.item}', 1, now())`,
  'a maintenance record of an item': (a, b) =>
    `insert into app.maintenance_records (studio_id, item_id, title) values ('${a.id}', '${b.item}', 'Check')`,
  'a maintenance record that is moved to an item': (a, b) =>
    `update app.maintenance_records set item_id = '${b.item}' where studio_id = '${a.id}'`,
  'an item in a location': (a, b) => `update app.items set location_id = '${b.location}' where studio_id = '${a.id}'`,
  'a location in a location': (a, b) =>
    `insert into app.locations (studio_id, name, parent_id) values ('${a.id}', 'Shelf', '${b.location}')`,
}

type Ids = { id: string; item: string; policy: string; location: string }

describe.each(Object.entries(crossings))('%s of another studio', (_title, crossing) => {
  it.each(['studio_owner', 'studio_writer', 'the administrator'])(
    'is refused by the foreign key, to %s',
    async (role) => {
      await inSessionOf(stage.database, role, ids('a').id, async (client) => {
        expect(await attempt(client, crossing(ids('a'), ids('a')))).toBe('done')
        const failed = await client.query(crossing(ids('a'), ids('b'))).catch((error) => error)
        expect(failed).toMatchObject({ code: '23503' })
        // What it says is what it was told, and nothing of the other row.
        stage.cast.expectNoCanary(JSON.stringify({ ...failed, message: failed.message }))
      })
    },
  )
})

describe.each(['studio_owner', 'studio_writer', 'the administrator'])('in A’s session %s', (role) => {
  it('adds no row to B', async () => {
    await inSessionOf(stage.database, role, ids('a').id, async (client) => {
      for (const text of [
        `insert into app.items (studio_id, name) values ('${ids('b').id}', 'Trojan horse')`,
        `insert into app.policies (studio_id, name) values ('${ids('b').id}', 'Trojan horse')`,
        `insert into app.locations (studio_id, name) values ('${ids('b').id}', 'Trojan horse')`,
      ]) {
        expect(await attempt(client, text), text).toBe('42501')
      }
    })
  })

  it('changes and removes no row of B', async () => {
    await inSessionOf(stage.database, role, ids('a').id, async (client) => {
      for (const text of [
        `update app.items set name = 'seen' where id = '${ids('b').item}'`,
        `update app.policies set name = 'seen' where id = '${ids('b').policy}'`,
        `delete from app.locations where id = '${ids('b').location}'`,
      ]) {
        // The administrator sees the row, and is refused it; to the others it is not there.
        const changed = await client.query(text).then(
          ({ rowCount }) => rowCount,
          (error) => error.code,
        )
        expect(changed, text).toBe(role === 'the administrator' ? '42501' : 0)
        if (role === 'the administrator') return
      }
    })
  })
})

it('an id of B that A’s writer gives to a row of its own is free there: nothing tells that B has it', async () => {
  await inSessionOf(stage.database, 'studio_writer', ids('a').id, async (client) => {
    for (const [table, id, name] of [
      ['items', ids('b').item, 'name'],
      ['policies', ids('b').policy, 'name'],
      ['locations', ids('b').location, 'name'],
    ]) {
      const text = `insert into app.${table} (studio_id, id, ${name}) values ('${ids('a').id}', '${id}', 'Same id')`
      expect(await attempt(client, text)).toBe('done')
    }
  })
})

function ids(which: 'a' | 'b'): Ids {
  const { id, items, policies, locations } = stage.cast[which]
  return { id, item: items.bare, policy: policies.future, location: locations.rack }
}

async function inSessionOf(
  database: TestDatabase,
  role: string,
  studioId: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const run = (client: pg.Client) =>
    inDiscarded(client, async () => {
      await client.query(`select set_config('studio.id', $1, true)`, [studioId])
      await work(client)
    })
  if (role === 'studio_owner') return asOwner(database, run)
  return role === 'studio_writer' ? asRole(database, role, run) : asAdmin(database, run)
}
