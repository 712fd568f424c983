import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../../database/errors.ts'
import { MoveFailed, type OpenCell, rowsOf, transactionOf } from './cell.ts'
import { databaseOf, namesOf } from './replication.ts'

/** How long the server of the source may take to notice that a slot is read no more, in milliseconds. */
const slotTimeoutMs = 60_000

/** Removes what a move has made in the source: slots, publication, login and mark. What is gone already is no error. */
export async function removeLeftovers(
  source: OpenCell,
  move: { id: string; studio_id: string; slots: string | null },
): Promise<void> {
  const { object, login } = namesOf(move.id)
  const { client } = source
  const end = Date.now() + slotTimeoutMs
  for (;;) {
    const slots = await rowsOf<{ name: string; active: boolean }>(
      client,
      `select slot_name::text as name, active from pg_replication_slots
       where database = current_database() and (slot_name = $1 or slot_name like $2)`,
      [object, move.slots],
    )
    if (slots.length === 0) break
    for (const { name, active } of slots) {
      if (active) await endReader(source, name)
      await client.query('select pg_drop_replication_slot($1)', [name]).catch((error: unknown) => {
        // Gone meanwhile, or still being read.
        if (!['42704', '55006'].includes(sqlState(error) ?? '')) throw error
      })
    }
    if (Date.now() > end) {
      throw new MoveFailed(
        `${source.name}: the slot ${slots.map(({ name }) => name).join(', ')} is still being read`,
        'It keeps the server from removing its log. Run the command again.',
      )
    }
    await sleep(50)
  }
  await client.query(`drop publication if exists ${object}`)
  await transactionOf(client, async () => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [login])
    if (rowCount !== 0) {
      await client.query(`revoke connect on database ${databaseOf(source)} from ${login}`)
      await client.query(`drop role ${login}`)
    }
    await client.query('delete from access.move_marks where studio_id = $1', [move.studio_id])
  })
}

async function endReader({ client }: OpenCell, slot: string): Promise<void> {
  await client.query('select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1', [slot])
}

/** What moves have made in a cell and not removed: names of slots, publications, subscriptions and logins. */
export async function leftoversIn({ client }: OpenCell): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    client,
    `select 'slot ' || slot_name as name from pg_replication_slots where slot_name like 'studio\\_move\\_%'
     union all select 'publication ' || pubname from pg_publication where pubname like 'studio\\_move\\_%'
     union all select 'subscription ' || subname from pg_subscription where subname like 'studio\\_move\\_%'
     union all select 'login ' || rolname from pg_roles where rolname like 'studio\\_moving\\_%' order by 1`,
  )
  return rows.map(({ name }) => name)
}
