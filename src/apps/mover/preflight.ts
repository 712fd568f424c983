import { peopleOf } from './access-rows.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { factsOf } from './facts.ts'
import { findPeople } from './people.ts'
import { requireSchema } from './schema.ts'
import { quoted, replicated } from './tables.ts'

/** How many slots and senders the first copy of the tables takes, besides the one that stays. */
const slotsNeeded = 3

/**
 * Checks that a studio can move between two cells.
 *
 * @param report gets what is no hindrance, but should be known
 * @throws MoveFailed for the first thing that is in the way, and what to do about it
 */
export async function requireMovable(
  source: OpenCell,
  target: OpenCell,
  report: (line: string) => void = () => undefined,
): Promise<void> {
  const [from, to] = await Promise.all([factsOf(source), factsOf(target)])
  if (from.server === to.server && from.database === to.database) {
    throw new MoveFailed(`${source.name} and ${target.name} are the same database`)
  }
  if (from.server === to.server) {
    throw new MoveFailed(
      `${source.name} and ${target.name} are databases of one server, or one is a copy of the other`,
      'A cell has a server of its own: analysts’ logins and roles belong to the whole server.',
    )
  }
  for (const [cell, facts] of [
    [source, from],
    [target, to],
  ] as const) {
    if (facts.version < 150_000) throw new MoveFailed(`${cell.name}: moving a studio needs PostgreSQL 15 or newer`)
    if (facts.standby) throw new MoveFailed(`${cell.name}: the server is a standby`, 'Name the primary.')
    if (!facts.superuser) {
      throw new MoveFailed(
        `${cell.name}: the administrator's login is not a superuser`,
        'Making a subscription and reading the verifiers of logins needs one.',
      )
    }
  }
  if (from.schema !== to.schema) {
    throw new MoveFailed(
      `the cells have different schemas: ${source.name} ${from.schema}, ${target.name} ${to.schema}`,
      'Bring both to the same release: studio-inventory migrate',
    )
  }
  await requireSchema(source, target)
  if (from.wal_level !== 'logical') {
    throw new MoveFailed(
      `${source.name}: wal_level is ${from.wal_level}`,
      'Set wal_level = logical in its postgresql.conf and restart it.',
    )
  }
  for (const [cell, setting, free, needed] of [
    [source, 'max_replication_slots', from.slots, slotsNeeded],
    [source, 'max_wal_senders', from.senders, slotsNeeded],
    [target, to.origins_by, to.origins, slotsNeeded],
    [target, 'max_logical_replication_workers', to.workers, 2],
  ] as const) {
    if (free >= needed) continue
    throw new MoveFailed(
      `${cell.name}: not enough free ${setting} (${needed} needed)`,
      `Raise ${setting} and restart the server.`,
    )
  }
  if (from.keeps_all) {
    report(
      `${source.name}: max_slot_wal_keep_size is -1, so that a move that is neither completed nor aborted fills its disk`,
    )
  }
}

/** What a move would meet in the target. */
const taken = [
  { text: 'select from app.studios where id = $1', what: 'already has the studio' },
  { text: 'select from access.members where studio_id = $1', what: 'already has members of the studio' },
  { text: 'select from access.tokens where studio_id = $1', what: 'already has tokens of the studio' },
  ...replicated.map((table) => ({
    text: `select from ${quoted(table)} where studio_id = $1`,
    what: `already has rows of the studio in ${table}`,
  })),
]

/** @throws MoveFailed when the target has something of the studio, or somebody else with an id of a user or the name of a login */
export async function requireEmptyTarget(source: OpenCell, target: OpenCell, studioId: string): Promise<void> {
  for (const { text, what } of taken) {
    const { rowCount } = await target.client.query(`${text} limit 1`, [studioId])
    if (rowCount !== 0) throw new MoveFailed(`${target.name} ${what}`, await howToRemove(target, studioId))
  }
  const { rowCount: same } = await target.client.query(
    'select from app.studios where studio_hash = uuid_hash($1::uuid) >> 1 and id <> $1',
    [studioId],
  )
  if (same !== 0) throw new MoveFailed(`${target.name} has another studio with the same studio_hash`)
  await findPeople(target, await peopleOf(source.client, studioId))
  const logins = await rowsOf<{ login: string }>(
    source.client,
    'select login::text from access.analyst_logins where studio_id = $1',
    [studioId],
  )
  const [met] = await rowsOf<{ name: string }>(
    target.client,
    'select rolname::text as name from pg_roles where rolname = any ($1)',
    [logins.map(({ login }) => login)],
  )
  if (met) throw new MoveFailed(`${target.name} already has a role ${met.name}`, 'Drop the analyst’s login.')
}

/** What removes the copy that the studio has left in a cell from which it has moved. */
async function howToRemove(target: OpenCell, studioId: string): Promise<string> {
  const [left] = await rowsOf<{ peer: string }>(
    target.client,
    `select peer from access.studio_moves where studio_id = $1 and direction = 'leaving' and state = 'moved'`,
    [studioId],
  )
  return left === undefined
    ? 'No move left it there. See which copy is the newer one before you remove the other: studio remove --cell'
    : `An earlier move left it: studio move ${studioId} --from ${target.name} --to ${left.peer} --finish`
}
