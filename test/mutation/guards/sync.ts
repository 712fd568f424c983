import { guardsOf, inFile, inFunction } from '../guard.ts'

/** These guards make a client's copy exact. */
export const sync = guardsOf({
  'sql/access/watermark': {
    'stamp without looking at what was announced': inFunction(
      'app.stamp',
      `timestamptz 'epoch' + pg_catalog.pg_sequence_last_value('app.announced_moment') * interval '1 millisecond'`,
      'null',
    ),
    'stamp without taking the id first': 'app.stamp: id xid8 := pg_catalog.pg_current_xact_id(); →',
    'take now for the watermark': `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select n.at, n.at::timestamptz(3) as until from (
          select (select pg_catalog.date_trunc('milliseconds', pg_catalog.now()) from app.heartbeats h limit 1) as at) as n;
      reset role`,
    'let the watermark be later than now':
      'view access.current_watermark: WHEN (until > now()) THEN date_trunc → WHEN false THEN date_trunc',
    'write down a moment that was not announced before':
      "access.heartbeat: timestamptz 'epoch' + announced * → timestamptz 'epoch' + clock *",
    'drop the heartbeat that an open write still needs': inFunction(
      'access.heartbeat',
      'where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by',
      'order by',
    ),
    'go on in another history as if it were the same': inFunction(
      'access.heartbeat',
      'if history is distinct from last_history then',
      `if history = 'x' and history is distinct from last_history then`,
    ),
    'believe removals of another history':
      "app.forget_removals: else app.stamp() + interval '10 seconds' end → else s.removals_since end",
  },
  'rest/walks': {
    'walk by the number of the page, whatever the cursor says':
      'src/api/list-statement.ts:     cursor: position && →     cursor: position && position.page < 0 &&',
    'take a cursor of another studio':
      "src/api/handler.ts: position && !cursors.isOf(position, studioId) → position && studioId === ''",
    'name a page after the last one that is full': inFile(
      'src/api/list-statement.ts',
      `cardinality(p.ids) > \${size}`,
      `cardinality(p.ids) >= \${size}`,
    ),
  },
  'http/cursors': {
    'take a cursor that is not signed':
      'src/api/cursors.ts: given.length === one.length && timingSafeEqual(given, one) → text.includes(".")',
  },
  'rest/cached-answers sql/app/data_versions': {
    'move no version when something is removed': 'drop trigger bump_updated on app.items',
  },
  'sql/app/removals': {
    ...Object.fromEntries(
      ['items', 'maintenance_records', 'policies', 'locations'].flatMap((table) =>
        ['updated', 'deleted'].map((what) => [
          `note no removal when rows of ${table} are ${what}`,
          `drop trigger remove_${what} on app.${table}`,
        ]),
      ),
    ),
    'forget no removal of what comes back': 'app.clear_removals: and r.id = any (clear_removals.ids) → and false',
    'note no removal when the plan changes': 'drop trigger change_plan on access.subscriptions',
    'end policies at the midnight of another time zone':
      "app.schedule_policies: p.effective_end + 1, zone), null → p.effective_end + 1, 'UTC'), null",
    'find a policy since it was recorded, not since it began':
      "src/api/policies.ts: changedAt: 'changed_at' → changedAt: 'effective_start'",
    'answer requests for removals that are not known': 'src/api/list-statement.ts: then 410` → then 200`',
    'purge removals without a word':
      'access.purge_removals: update app.sync_state s set removals_since = horizon where s.removals_since < horizon; →',
  },
  'sql/app/touch': {
    'leave an item where it was when it is assigned': `set role studio_owner;
      create or replace function app.touch_assigned_items() returns trigger language plpgsql as 'begin return null; end';
      reset role`,
  },
  'sql/access/open_session': {
    'leave the day out of a version': `set role studio_owner;
      create or replace view access.studio_versions with (security_invoker = true) as
      select s.id as studio_id,
        s.id || '/' || (select sum(d.version) from app.data_versions d where d.studio_id = s.id) as version
      from app.studios s;
      reset role`,
  },
  'sql/app/data_versions': {
    'keep the version when a policy changes': 'drop trigger bump_updated on app.policies',
  },
  'rest/optional-parts': {
    'cache an item without its valuation': `api_v1.get_item: 'valuation';
    answer.version := null; → 'valuation';`,
    'cache an item without its photos': `api_v1.get_item: '{}';
    answer.version := null; → '{}';`,
  },
  'rest/cached-answers sql/access/open_session': {
    'reuse the last result for a token after other commits':
      'access.authenticate_batch: state = known_state → known_state is not null',
  },
  'sync/exact': {
    'take the newest heartbeat while an older transaction still writes':
      'view access.current_watermark: pg_snapshot_xmin(pg_current_snapshot()) → pg_snapshot_xmax(pg_current_snapshot())',
    'note no archived item':
      "app.remove_items: if gone is not null then → if gone is not null and tg_op = 'DELETE' then",
    'tell of no removal': inFile(
      'src/api/removals.ts',
      `view: 'service.removal_documents'`,
      `view: '(select * from service.removal_documents where false)'`,
    ),
  },
  'sync/exact sql/api_v1/watermark': {
    'hold nothing back from a poll': inFile('src/api/list-statement.ts', ` and r.\${changedAt} < s.until`, ''),
  },
  'sync/races': {
    'heed no change of the plan while locations are written':
      'app.hold_plan: s.studio_id = access.current_studio_id() for share → s.studio_id = access.current_studio_id()',
    'heed no change of the time zone while policies are written':
      'app.hold_time_zone: s.id = access.current_studio_id() for share → s.id = access.current_studio_id()',
  },
  'sync/midnight': {
    'hold back what is stamped later than now': inFile(
      'src/api/list-statement.ts',
      `r.\${changedAt} < s.until`,
      `r.\${changedAt} < s.at`,
    ),
    'let a list send a moment later than now': inFile('src/api/list-statement.ts', 's.at as watermark', 's.watermark'),
    'let a policy end by its date unnoticed': 'app.schedule_policies: p.effective_end >= today → false',
    'end policies at a midnight that a clock has passed before':
      'app.schedule_policies: greatest(left_list.at, announced) → left_list.at',
  },
  'sql/api_v1/watermark': {
    'keep a poll that left something out': inFile(
      'src/api/list-statement.ts',
      `case when not \${isTooNew} then s.version end`,
      's.version',
    ),
  },
})
