import { altered, type Mutation } from '../mutation.ts'

/** What a function of this name is defined as. */
const functionOf = (name: string) => `pg_get_functiondef('${name}'::regproc)`
const random = ['test/sync/exact.test.ts']
const races = ['test/sync/races.test.ts']
const midnights = ['test/sync/midnight.test.ts']

/** What the test of random writers notices, and the tests beside it of races and of midnights. */
export const syncBesideWriters: readonly Mutation[] = [
  {
    name: 'stamp by the clock alone',
    tests: random,
    sql: altered(functionOf('app.stamp'), 'm.last_value * interval', '0 * m.last_value * interval'),
  },
  {
    name: 'stamp before the transaction has its id',
    tests: races,
    sql: altered(functionOf('app.stamp'), 'perform pg_catalog.pg_current_xact_id();', ''),
  },
  {
    name: 'take the newest heartbeat whoever is still writing',
    tests: random,
    sql: altered(
      `'create or replace view access.current_watermark with (security_invoker = true) as '
        || pg_get_viewdef('access.current_watermark'::regclass)`,
      'WHERE (h.xid < pg_snapshot_xmin(pg_current_snapshot()))',
      'WHERE (h.xid < pg_snapshot_xmax(pg_current_snapshot()))',
    ),
  },
  {
    name: 'hold nothing back from a poll',
    tests: random,
    sql: altered(
      functionOf('api_v1.list_items'),
      'case when updated_since is not null then answer.watermark end',
      'null::timestamptz',
    ),
  },
  {
    name: 'note no archived item',
    tests: random,
    sql: altered(
      functionOf('app.remove_items'),
      'if gone is not null then',
      `if gone is not null and tg_op = 'DELETE' then`,
    ),
  },
  {
    name: 'note no maintenance of an archived item',
    tests: random,
    sql: altered(
      functionOf('app.remove_maintenance'),
      'if gone is not null then',
      `if gone is not null and tg_op = 'DELETE' then`,
    ),
  },
  {
    name: 'keep the removal of what has come back',
    tests: random,
    sql: altered(functionOf('app.clear_removals'), 'r.id = any (clear_removals.ids)', 'false'),
  },
  {
    name: 'let a policy end by its date unnoticed',
    tests: midnights,
    sql: altered(functionOf('app.schedule_policies'), 'p.effective_end >= today', 'false'),
  },
  {
    name: 'end policies at a midnight that a clock has passed before',
    tests: midnights,
    sql: altered(functionOf('app.schedule_policies'), 'greatest(left_list.at, announced)', 'left_list.at'),
  },
  {
    name: 'find policies by their update alone',
    tests: midnights,
    sql: altered(
      functionOf('api_v1.list_policies'),
      'greatest(p.updated_at, access.first_moment(p.effective_start, zone))',
      'p.updated_at',
    ),
  },
  {
    name: 'leave policies as they are when the time zone changes',
    tests: midnights,
    sql: altered(functionOf('app.change_time_zone'), 'if policy_ids is not null then', 'if false then'),
  },
  {
    name: 'leave locations as they are when the plan changes',
    tests: random,
    sql: altered(functionOf('access.change_plan'), 'if location_ids is not null then', 'if false then'),
  },
  {
    name: 'heed no change of the plan while locations are written',
    tests: races,
    sql: altered(
      functionOf('app.hold_plan'),
      's.studio_id = access.current_studio_id() for share',
      's.studio_id = access.current_studio_id()',
    ),
  },
  {
    name: 'heed no change of the time zone while policies are written',
    tests: races,
    sql: altered(
      functionOf('app.hold_time_zone'),
      's.id = access.current_studio_id() for share',
      's.id = access.current_studio_id()',
    ),
  },
  {
    name: 'take a policy that is recorded again for a new one',
    tests: races,
    sql: altered(functionOf('app.schedule_policies'), '(not brand_new or p.id = any (known))', 'not brand_new'),
  },
  {
    name: 'tell no moment to ask from',
    tests: random,
    patch: {
      file: 'src/api/list-headers.ts',
      from: 'if (watermark === null) return',
      to: 'if (watermark !== "") return',
    },
  },
  {
    name: 'tell the moment of the clock',
    tests: random,
    patch: {
      file: 'src/api/list-headers.ts',
      from: `response.setHeader('Next-Updated-Since', last.text)`,
      to: `response.setHeader('Next-Updated-Since', new Date().toISOString())`,
    },
  },
  {
    name: 'walk by the number of the page, whatever the cursor says',
    tests: races,
    sql: altered(
      functionOf('api_v1.list_items'),
      'if cursor_id is not null and (cursor_version is null or',
      'if cursor_id is not null and (',
    ),
  },
  {
    name: 'tell of no removal',
    tests: random,
    sql: altered(
      functionOf('api_v1.list_removals'),
      'where r.removed_at >= since and r.removed_at < before',
      'where false',
    ),
  },
  {
    name: 'send no cursor of the next page',
    tests: races,
    patch: { file: 'src/api/operation-handler.ts', from: '!has_more ||', to: 'has_more ||' },
  },
]
