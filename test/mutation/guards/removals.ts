import { altered, type Guard, inFunction } from '../guard.ts'

/** What a client is told of what is gone, of policies that end, and while others write. */
export const removals: Guard[] = [
  [
    'forget no removal of what comes back',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    inFunction('app.clear_removals', 'and r.id = any (clear_removals.ids)', 'and false'),
  ],
  [
    'note no removal when the plan changes',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    'drop trigger change_plan on access.subscriptions',
  ],
  [
    'end policies at the midnight of another time zone',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    inFunction('app.schedule_policies', 'p.effective_end + 1, zone), null', `p.effective_end + 1, 'UTC'), null`),
  ],
  [
    'leave the ends of policies where they were in another time zone',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    'drop trigger change_time_zone on app.studios',
  ],
  [
    'find a policy since it was recorded, not since it began',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    { file: 'src/api/policies.ts', from: `changedAt: 'changed_at'`, to: `changedAt: 'effective_start'` },
  ],
  [
    'show a removal only when the clock has reached its moment',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    altered(
      // PostgreSQL 15 names the table of each column.
      `replace(pg_get_viewdef('api_v1.removals'::regclass), '(r.', '(')`,
      '(leaves_at IS NULL)',
      '(leaves_at IS NULL AND removed_at <= (SELECT access.clock()))',
      'create or replace view api_v1.removals with (security_invoker = true) as ',
    ),
  ],
  [
    'answer requests for removals that are not known',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    { file: 'src/api/list-statement.ts', from: 'then 410 else', to: 'then 200 else' },
  ],
  [
    'purge removals without a word',
    'sql/app/removals sql/app/removals_policy sql/app/removals_kept',
    inFunction(
      'access.purge_removals',
      'update app.sync_state s set removals_since = horizon where s.removals_since < horizon;',
      '',
    ),
  ],
  [
    'leave an item where it was when it is assigned',
    'sql/app/policy_assignments',
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
    'move the version in the first transaction only',
    'sql/app/data_versions',
    inFunction('app.add_data_version', 'd.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid', 'true'),
  ],
  [
    'cache an item that was read in parts',
    'rest/cached-answers',
    inFunction('api_v1.get_item_in_parts', 'answer.version := null;', ''),
  ],
  ['cache a partial answer', 'rest/cached-answers', inFunction('api_v1.get_policy', 'answer.version := null;', '')],
  [
    'rely on what was said of a token whatever has been committed since',
    'rest/cached-answers sql/access/authenticate_batch',
    inFunction('access.authenticate_batch', 'state = known_state', 'known_state is not null'),
  ],
  [
    'take the newest heartbeat whoever is still writing',
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
    'take a policy that is recorded again for a new one',
    'sync/races',
    inFunction('app.schedule_policies', '(not brand_new or p.id = any (known))', 'not brand_new'),
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
    'stamp by the clock alone',
    'sync/exact',
    inFunction('app.stamp', 'm.last_value * interval', '0 * m.last_value * interval'),
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
        'sql/app/removals sql/app/removals_policy',
        `drop trigger remove_${what} on app.${table}`,
      ],
    ),
  ),
]
