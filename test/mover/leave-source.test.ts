import { afterEach, beforeEach, expect, test } from 'vitest'
import { activate, leave } from '../../src/apps/mover/leave-source.ts'
import { type Session, type Studio, useSql } from '../sql/support.ts'

/** The steps after the switch, which must not fail: until they are through nobody writes the studio. */
const sql = useSql()
const move = '6dd3b8a0-0f7e-4d0e-9f0c-2d3c3a1f9a11'
let studio: Studio
let tokens: string[]

beforeEach(async () => {
  studio = await sql.studio()
  await sql.admin.rows('delete from access.tokens')
  // In the table the highest id comes first.
  const rows = await sql.admin.rows<{ id: string }>(
    `insert into access.tokens (studio_id, id, name, tier, prefix, digest, issued_by)
     select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Token', 'studio', 'svc_studio_0000',
       sha256(n::text::bytea), $2 from generate_series(20, 1, -1) n returning id`,
    [studio.id, studio.owner],
  )
  tokens = rows.map(({ id }) => id)
})

afterEach(() => sql.admin.rows('delete from access.studio_moves'))

const steps = {
  'leaves the source': { direction: 'leaving', state: 'switching', after: 'moved' },
  'becomes writable in the target': { direction: 'arriving', state: 'landed', after: 'active' },
} as const
type Step = keyof typeof steps

const begin = (step: Step) =>
  sql.admin.rows(
    `insert into access.studio_moves (id, studio_id, direction, peer, state) values ($1, $2, $3, 'eu2', $4)`,
    [move, studio.id, steps[step].direction, steps[step].state],
  )

/** Takes the step in a session; one database is both cells. */
async function take(step: Step, { client }: Session): Promise<void> {
  await client.query('set search_path = pg_catalog, pg_temp')
  // As for a table of many studios: rows are found in the order in which they are stored.
  await client.query('set enable_indexscan = off')
  const cell = { name: 'eu1', url: sql.database.adminUrl, client }
  const moving = { id: move, studio_id: studio.id }
  await (step === 'leaves the source' ? leave(cell, moving) : activate(cell, cell, moving))
}

const record = (session: Session) =>
  session.rows(
    `select access.record_activity(array_agg(t.id), array_agg(now()), array_agg('x'::text), array_agg(200::smallint), array_agg(1::real))
     from unnest($1::uuid[]) t (id)`,
    [tokens],
  )

const pidOf = (session: Session) => session.value<number>('select pg_backend_pid()')

async function blocked(pid: number): Promise<void> {
  const waits = `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`
  await expect.poll(() => sql.admin.rows(waits, [pid]), { timeout: 30_000, interval: 10 }).toHaveLength(1)
}

test.each(Object.keys(steps) as Step[])('a studio %s while the use of its tokens is recorded', async (step) => {
  const [first, recorder, mover] = [await sql.connect('admin'), await sql.connect('admin'), await sql.connect('admin')]
  const pids = [await pidOf(recorder), await pidOf(mover)]
  await record(sql.admin)
  await sql.admin.rows('update access.tokens set last_used_at = null')
  await begin(step)
  // In a deadlock it would be the recorder that fails: it looks for one earlier.
  await recorder.rows(`set deadlock_timeout = '10ms'`)
  await first.rows('begin')
  await first.rows('select from access.tokens where studio_id = $1 order by id limit 1 for update', [studio.id])
  const recorded = record(recorder)
  await blocked(pids[0] ?? 0)
  const taken = take(step, mover)
  await blocked(pids[1] ?? 0)
  await first.rows('commit')
  await Promise.all([recorded, taken])
  expect(await state()).toBe(steps[step].after)
})

test.each(Object.keys(steps) as Step[])(
  'a studio %s although its transaction meets a deadlock at first',
  async (step) => {
    await begin(step)
    await sql.admin.rows(`create sequence public.attempts`)
    await sql.admin.rows(`create function public.meet_deadlock() returns trigger language plpgsql as $$
    begin
      if nextval('public.attempts') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
      return new;
    end $$`)
    await sql.admin.rows(
      `create trigger meet_deadlock before update on access.studio_moves for each row execute function public.meet_deadlock()`,
    )
    await sql.admin.rows(`alter table access.studio_moves enable always trigger meet_deadlock`)
    try {
      await take(step, await sql.connect('admin'))
      expect(await state()).toBe(steps[step].after)
    } finally {
      await sql.admin.rows('drop function public.meet_deadlock() cascade')
      await sql.admin.rows('drop sequence public.attempts')
    }
  },
)

const state = () => sql.admin.value('select state from access.studio_moves where id = $1', [move])
