import { altered, type Mutation } from '../mutation.ts'

const functionOf = (name: string) => `pg_get_functiondef('${name}'::regproc)`
const replace = (name: string, from: string, to: string) => altered(functionOf(name), from, to)

const ofWatermark = ['test/sql/access/watermark.test.ts', 'test/sql/access/heartbeats.test.ts']
const ofPolls = ['test/sql/api_v1/watermark.test.ts']
const ofRemovals = ['removals', 'removals_policy', 'removals_kept'].map((name) => `test/sql/app/${name}.test.ts`)
const ofWalks = ['test/rest/walks.test.ts']
const ofCursors = ['test/http/cursors.test.ts']
const ofTags = ['test/http/conditional.test.ts']

/** What makes a client's copy exact: stamps, heartbeats, what polls leave out, cursors, removals, entity-tags. */
export const sync: readonly Mutation[] = [
  {
    name: 'stamp without looking at what was announced',
    tests: ofWatermark,
    sql: replace(
      'app.stamp',
      `(select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m)`,
      'null',
    ),
  },
  {
    name: 'stamp without taking the id first',
    tests: ofWatermark,
    sql: replace('app.stamp', 'perform pg_catalog.pg_current_xact_id();', ''),
  },
  {
    name: 'take now for the watermark',
    tests: ofWatermark,
    sql: `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select pg_catalog.date_trunc('milliseconds', pg_catalog.now()) from app.heartbeats h limit 1) as at;
      reset role`,
  },
  {
    name: 'let the watermark be later than now',
    tests: ofWatermark,
    sql: `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select h.at from app.heartbeats h
          where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1)::timestamptz as at;
      reset role`,
  },
  {
    name: 'write down a moment that was not announced before',
    tests: ofWatermark,
    sql: replace('access.heartbeat', `timestamptz 'epoch' + announced *`, `timestamptz 'epoch' + clock *`),
  },
  {
    name: 'drop the heartbeat that an open write still needs',
    tests: ofWatermark,
    sql: replace(
      'access.heartbeat',
      'where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by',
      'order by',
    ),
  },
  {
    name: 'write a heartbeat for each process',
    tests: ofWatermark,
    sql: replace('access.heartbeat', 'if clock - announced between 0 and 800 then', 'if false then'),
  },
  {
    name: 'go on in another history as if it were the same',
    tests: ofWatermark,
    sql: replace(
      'access.heartbeat',
      'if history is distinct from last_history then',
      `if history = 'x' and history is distinct from last_history then`,
    ),
  },
  {
    name: 'believe removals of another history',
    tests: ofWatermark,
    sql: replace('app.forget_removals', `else app.stamp() + interval '10 seconds' end`, 'else s.removals_since end'),
  },
  ...(
    [
      ['items', 'case when updated_since is not null then answer.watermark end', 'null'],
      ['maintenance', 'case when updated_since is not null then answer.watermark end', 'null'],
      ['locations', `coalesce(answer.watermark, 'infinity')`, `timestamptz 'infinity'`],
      ['policies', `coalesce(answer.watermark, 'infinity')`, `timestamptz 'infinity'`],
      ['removals', `coalesce(answer.watermark, 'infinity')`, `timestamptz 'infinity'`],
    ] as const
  ).map(([list, from, to]) => ({
    name: `show polls of ${list} what is not before the watermark`,
    tests: ofPolls,
    sql: replace(`api_v1.list_${list}`, from, to),
  })),
  ...['items', 'maintenance', 'locations', 'policies', 'removals'].map((list) => ({
    name: `keep a poll of ${list} that left something out`,
    tests: ofPolls,
    sql: replace(`api_v1.list_${list}`, 'answer.version := null;', 'null;'),
  })),
  ...['items', 'maintenance'].map((list) => ({
    name: `begin a page of ${list} by its number, not after the cursor`,
    tests: ofWalks,
    sql: replace(
      `api_v1.list_${list}`,
      'if cursor_id is not null and (cursor_version is null or cursor_version',
      'if cursor_id is not null and (cursor_version',
    ),
  })),
  ...['locations', 'policies', 'removals'].map((list) => ({
    name: `begin a page of ${list} by its number, not after the cursor`,
    tests: ofWalks,
    sql: replace(
      `api_v1.list_${list}`,
      'cursor_id is not null and (cursor_version is null or cursor_version',
      'cursor_id is not null and (cursor_version',
    ),
  })),
  {
    name: 'name a page after the last one that is full',
    tests: ofWalks,
    sql: replace('api_v1.with_page', 'rows_found > per_page', 'rows_found >= per_page'),
  },
  {
    name: 'take a cursor that is not signed',
    tests: ofCursors,
    patch: {
      file: 'src/api/cursors.ts',
      from: 'if (!isSame(text, signed(content, question))) return undefined',
      to: 'if (!text.includes(".")) return undefined',
    },
  },
  {
    name: 'take a cursor of another question',
    tests: ofCursors,
    patch: { file: 'src/api/cursors.ts', from: `\${question} \${content}`, to: `\${content}` },
  },
  {
    name: 'take a cursor of another studio',
    tests: ofCursors,
    patch: {
      file: 'src/api/operation-handler.ts',
      from: 'if (position && !cursors.isOf(position, answer.studio_id)) {',
      to: 'if (position && answer.studio_id === "") {',
    },
  },
  {
    name: 'take a cursor beside a page number',
    tests: ofCursors,
    patch: { file: 'src/api/question.ts', from: `given.includes('page')`, to: `given.length < 0` },
  },
  {
    name: 'take the entity-tag of another request',
    tests: ofTags,
    patch: { file: 'src/api/etag.ts', from: `\${meta} \${request}`, to: `\${meta}` },
  },
  {
    name: 'take the entity-tag of another day',
    tests: ofTags,
    patch: { file: 'src/api/etag.ts', from: `.replace('/', '.')}"\``, to: `.replace(/\\/.*/, '.2026-05-05')}"\`` },
  },
  {
    name: 'give an entity-tag to an answer without a version',
    tests: ofTags,
    patch: {
      file: 'src/api/operation-handler.ts',
      from: 'answer.version === null || !isTagged\n        ? undefined',
      to: 'answer.version === null || !isTagged\n        ? isTagged ? tags.of("x/1/2026-01-01", tagged()) : undefined',
    },
  },
  {
    name: 'move no version when something is removed',
    tests: ['test/rest/conditional.test.ts', 'test/sql/app/data_versions.test.ts'],
    sql: 'drop trigger bump_updated on app.items',
  },
  {
    name: 'forget no removal of what comes back',
    tests: ofRemovals,
    sql: replace('app.clear_removals', 'and r.id = any (clear_removals.ids)', 'and false'),
  },
  ...['items', 'maintenance_records', 'policies', 'locations'].flatMap((table) =>
    ['updated', 'deleted'].map((what) => ({
      name: `note no removal when rows of ${table} are ${what}`,
      tests: ofRemovals,
      sql: `drop trigger remove_${what} on app.${table}`,
    })),
  ),
  {
    name: 'note no removal when the plan changes',
    tests: ofRemovals,
    sql: 'drop trigger change_plan on access.subscriptions',
  },
  {
    name: 'end policies at the midnight of another time zone',
    tests: ofRemovals,
    sql: replace('app.schedule_policies', 'p.effective_end + 1, zone), null', `p.effective_end + 1, 'UTC'), null`),
  },
  {
    name: 'leave the ends of policies where they were in another time zone',
    tests: ofRemovals,
    sql: 'drop trigger change_time_zone on app.studios',
  },
  {
    name: 'find a policy since it was recorded, not since it began',
    tests: ofRemovals,
    sql: replace(
      'api_v1.list_policies',
      'greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since',
      'p.updated_at >= since',
    ),
  },
  {
    name: 'show a removal only when the clock has reached its moment',
    tests: ofRemovals,
    sql: altered(
      // PostgreSQL 15 names the table of each column.
      `replace(pg_get_viewdef('api_v1.removals'::regclass), '(r.', '(')`,
      '(leaves_at IS NULL)',
      '(leaves_at IS NULL AND removed_at <= (SELECT access.clock()))',
      'create or replace view api_v1.removals with (security_invoker = true) as ',
    ),
  },
  {
    name: 'answer whoever asks for removals that are not known',
    tests: ofRemovals,
    sql: replace('api_v1.list_removals', 'if updated_since < access.removals_since() then', 'if false then'),
  },
  {
    name: 'purge removals without a word',
    tests: ofRemovals,
    sql: replace(
      'access.purge_removals',
      'update app.sync_state s set removals_since = horizon where s.removals_since < horizon;',
      '',
    ),
  },
  {
    name: 'purge removals as a login that sees none',
    tests: ofRemovals,
    sql: replace('access.purge_removals', 'perform access.enter_studio(studio);', ''),
  },
  {
    name: 'wait for an item that somebody is writing to',
    tests: ['test/sql/valuation/refresh_studio.test.ts'],
    sql: replace('valuation.refresh_studio', 'for no key update skip locked', 'for no key update'),
  },
  {
    name: 'refresh all items of a studio at once',
    tests: ['test/sql/valuation/refresh_studio.test.ts'],
    sql: replace(
      'valuation.refresh_studio',
      'due_items(rebuild_missing, at_most)',
      'due_items(rebuild_missing, 1000000)',
    ),
  },
  {
    name: 'let one studio’s refresh fail all',
    tests: ['test/process/valuation.test.ts'],
    patch: { file: 'src/process/valuation.ts', from: 'failed += 1', to: 'if (failed === 0) throw error' },
  },
  {
    name: 'leave an item where it was when it is assigned',
    tests: ['test/sql/app/policy_assignments.test.ts'],
    sql: `set role studio_owner;
      create or replace function app.touch_assigned_items() returns trigger language plpgsql as 'begin return null; end';
      reset role`,
  },
]
