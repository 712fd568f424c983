import { MoveFailed, type OpenCell, withoutTriggers } from './cell.ts'
import { advance, type MoveRecord } from './state.ts'
import { quoted, replicated } from './tables.ts'

/** Rows removed by a transaction. */
const batchSize = 10_000

/**
 * Removes what has arrived in the target of a move that did not switch.
 *
 * @throws MoveFailed when the target has the studio: its copy is the newer one then, whatever the source says
 */
export async function removeArrived(target: OpenCell, move: Pick<MoveRecord, 'id' | 'studio_id'>): Promise<void> {
  await removeRows(target, move, ['clearing'], replicated, async () => {
    const { rowCount } = await target.client.query('select from app.studios where id = $1', [move.studio_id])
    if (rowCount !== 0) throw new MoveFailed(`${target.name} has the studio; nothing of it was deleted`)
  })
  await withoutTriggers(target.client, async () => {
    await target.client.query('delete from access.move_marks where studio_id = $1', [move.studio_id])
    await advance(target.client, move.id, ['clearing'], 'aborted')
  })
}

/**
 * Removes what a studio has left in the source of a move that is over, and forgets its people. As long as the studio's row is there, those
 * whom its logs name are kept.
 */
export async function removeLeft(source: OpenCell, move: Pick<MoveRecord, 'id' | 'studio_id'>): Promise<void> {
  await removeRows(source, move, ['moved'], [...replicated, 'access.request_activity'])
  await withoutTriggers(source.client, async () => {
    await source.client.query('delete from app.studios where id = $1', [move.studio_id])
    await advance(source.client, move.id, ['moved'], 'finished')
    // With the foreign keys: a person whom a log still names keeps the id.
    await source.client.query('set local session_replication_role = origin')
    await source.client.query(`select access.forget_people($1, '{}')`, [move.studio_id])
  })
}

/** Removes rows in short transactions, each of which sees the move in one of the states. */
async function removeRows(
  { client }: OpenCell,
  move: Pick<MoveRecord, 'id' | 'studio_id'>,
  states: readonly string[],
  tables: readonly string[],
  check: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (const table of tables) {
    for (let removed = batchSize; removed > 0; ) {
      removed = await withoutTriggers(client, async () => {
        const { rowCount: allowed } = await client.query(
          'select from access.studio_moves where id = $1 and state = any ($2) for update',
          [move.id, states],
        )
        if (allowed !== 1) throw new MoveFailed('the move was changed by another command', 'Run it again.')
        await check()
        const { rowCount } = await client.query(
          `delete from ${quoted(table)} t where t.studio_id = $1 and t.ctid = any (array(
             select d.ctid from ${quoted(table)} d where d.studio_id = $1 limit ${batchSize}))`,
          [move.studio_id],
        )
        return rowCount ?? 0
      })
    }
  }
}
