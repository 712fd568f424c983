import { altered, type Guard, inFunction } from '../guard.ts'

/** What makes a client's copy exact. */
export const sync: Guard[] = [
  [
    'stamp without looking at what was announced',
    'sql/access/watermark',
    inFunction(
      'app.stamp',
      `timestamptz 'epoch' + pg_catalog.pg_sequence_last_value('app.announced_moment') * interval '1 millisecond'`,
      'null',
    ),
  ],
  [
    'stamp without taking the id first',
    'sql/access/watermark',
    inFunction('app.stamp', 'id xid8 := pg_catalog.pg_current_xact_id();', ''),
  ],
  [
    'take now for the watermark',
    'sql/access/watermark',
    `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select pg_catalog.date_trunc('milliseconds', pg_catalog.now()) from app.heartbeats h limit 1) as at;
      reset role`,
  ],
  [
    'let the watermark be later than now',
    'sql/access/watermark',
    `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select h.at from app.heartbeats h
          where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1)::timestamptz as at;
      reset role`,
  ],
  [
    'write down a moment that was not announced before',
    'sql/access/watermark',
    inFunction('access.heartbeat', `timestamptz 'epoch' + announced *`, `timestamptz 'epoch' + clock *`),
  ],
  [
    'drop the heartbeat that an open write still needs',
    'sql/access/watermark',
    inFunction(
      'access.heartbeat',
      'where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by',
      'order by',
    ),
  ],
  [
    'go on in another history as if it were the same',
    'sql/access/watermark',
    inFunction(
      'access.heartbeat',
      'if history is distinct from last_history then',
      `if history = 'x' and history is distinct from last_history then`,
    ),
  ],
  [
    'believe removals of another history',
    'sql/access/watermark',
    inFunction('app.forget_removals', `else app.stamp() + interval '10 seconds' end`, 'else s.removals_since end'),
  ],
  [
    'name a page after the last one that is full',
    'rest/walks',
    { file: 'src/api/list-statement.ts', from: `cardinality(p.ids) > \${size}`, to: `cardinality(p.ids) >= \${size}` },
  ],
  [
    'take a cursor that is not signed',
    'http/cursors',
    {
      file: 'src/api/cursors.ts',
      from: 'if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined',
      to: 'if (!text.includes(".") || right.length === 0) return undefined',
    },
  ],
  [
    'take a cursor of another studio',
    'http/cursors',
    {
      file: 'src/api/handler.ts',
      from: 'else if (position && !cursors.isOf(position, studioId))',
      to: `else if (position && studioId === '')`,
    },
  ],
  [
    'move no version when something is removed',
    'rest/cached-answers sql/app/data_versions',
    'drop trigger bump_updated on app.items',
  ],
  [
    'forget no removal of what comes back',
    'sql/app/removals',
    inFunction('app.clear_removals', 'and r.id = any (clear_removals.ids)', 'and false'),
  ],
  ['note no removal when the plan changes', 'sql/app/removals', 'drop trigger change_plan on access.subscriptions'],
  [
    'end policies at the midnight of another time zone',
    'sql/app/removals',
    inFunction('app.schedule_policies', 'p.effective_end + 1, zone), null', `p.effective_end + 1, 'UTC'), null`),
  ],
  [
    'find a policy since it was recorded, not since it began',
    'sql/app/removals',
    { file: 'src/api/policies.ts', from: `changedAt: 'changed_at'`, to: `changedAt: 'effective_start'` },
  ],
  [
    'answer requests for removals that are not known',
    'sql/app/removals',
    { file: 'src/api/list-statement.ts', from: 'then 410`', to: 'then 200`' },
  ],
  [
    'purge removals without a word',
    'sql/app/removals',
    inFunction(
      'access.purge_removals',
      'update app.sync_state s set removals_since = horizon where s.removals_since < horizon;',
      '',
    ),
  ],
  [
    'leave an item where it was when it is assigned',
    'sql/app/touch_items',
    `set role studio_owner;
      create or replace function app.touch_assigned_items() returns trigger language plpgsql as 'begin return null; end';
      reset role`,
  ],
  [
    'leave the day out of a version',
    'sql/access/open_session',
    `set role studio_owner;
      create or replace view access.studio_versions with (security_invoker = true) as
      select s.id as studio_id,
        s.id || '/' || (select sum(d.version) from app.data_versions d where d.studio_id = s.id) as version
      from app.studios s;
      reset role`,
  ],
  ['keep the version when a policy changes', 'sql/app/data_versions', 'drop trigger bump_updated on app.policies'],
  [
    'cache an item without its valuation',
    'rest/optional-parts',
    inFunction(
      'api_v1.get_item',
      `'valuation';
    answer.version := null;`,
      `'valuation';`,
    ),
  ],
  [
    'cache an item without its photos',
    'rest/optional-parts',
    inFunction(
      'api_v1.get_item',
      `'{}';
    answer.version := null;`,
      `'{}';`,
    ),
  ],
  [
    'reuse the last result for a token after other commits',
    'rest/cached-answers sql/access/open_session',
    inFunction('access.authenticate_batch', 'state = known_state', 'known_state is not null'),
  ],
  [
    'take the newest heartbeat while an older transaction still writes',
    'sync/exact',
    altered(
      `'create or replace view access.current_watermark with (security_invoker = true) as '
        || pg_get_viewdef('access.current_watermark'::regclass)`,
      'WHERE (h.xid < pg_snapshot_xmin(pg_current_snapshot()))',
      'WHERE (h.xid < pg_snapshot_xmax(pg_current_snapshot()))',
    ),
  ],
  [
    'hold nothing back from a poll',
    'sync/exact sql/api_v1/watermark',
    { file: 'src/api/list-statement.ts', from: ` and r.\${list.changedAt} < s.until`, to: '' },
  ],
  [
    'note no archived item',
    'sync/exact',
    inFunction('app.remove_items', 'if gone is not null then', `if gone is not null and tg_op = 'DELETE' then`),
  ],
  [
    'heed no change of the plan while locations are written',
    'sync/races',
    inFunction(
      'app.hold_plan',
      's.studio_id = access.current_studio_id() for share',
      's.studio_id = access.current_studio_id()',
    ),
  ],
  [
    'heed no change of the time zone while policies are written',
    'sync/races',
    inFunction(
      'app.hold_time_zone',
      's.id = access.current_studio_id() for share',
      's.id = access.current_studio_id()',
    ),
  ],
  [
    'walk by the number of the page, whatever the cursor says',
    'sync/races rest/walks',
    {
      file: 'src/api/list-statement.ts',
      from: '    cursor: position &&',
      to: '    cursor: position && position.page < 0 &&',
    },
  ],
  [
    'tell of no removal',
    'sync/exact',
    {
      file: 'src/api/removals.ts',
      from: `view: 'service.removal_documents'`,
      to: `view: '(select * from service.removal_documents where false)'`,
    },
  ],
  [
    'let a policy end by its date unnoticed',
    'sync/midnight',
    inFunction('app.schedule_policies', 'p.effective_end >= today', 'false'),
  ],
  [
    'end policies at a midnight that a clock has passed before',
    'sync/midnight',
    inFunction('app.schedule_policies', 'greatest(left_list.at, announced)', 'left_list.at'),
  ],
  [
    'keep a poll that left something out',
    'sql/api_v1/watermark',
    { file: 'src/api/list-statement.ts', from: `case when not \${isTooNew} then s.version end`, to: 's.version' },
  ],
  ...['items', 'maintenance_records', 'policies', 'locations'].flatMap((table) =>
    ['updated', 'deleted'].map(
      (what): Guard => [
        `note no removal when rows of ${table} are ${what}`,
        'sql/app/removals',
        `drop trigger remove_${what} on app.${table}`,
      ],
    ),
  ),
]
