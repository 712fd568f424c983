import { type Guard, inFunction } from '../guard.ts'

/** What makes a client's copy exact: stamps, heartbeats, what polls leave out, cursors, removals, versions. */
export const sync: Guard[] = [
  [
    'stamp without looking at what was announced',
    'sql/access/watermark sql/access/heartbeats',
    inFunction(
      'app.stamp',
      `(select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m)`,
      'null',
    ),
  ],
  [
    'stamp without taking the id first',
    'sql/access/watermark sql/access/heartbeats',
    inFunction('app.stamp', 'perform pg_catalog.pg_current_xact_id();', ''),
  ],
  [
    'take now for the watermark',
    'sql/access/watermark sql/access/heartbeats',
    `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select pg_catalog.date_trunc('milliseconds', pg_catalog.now()) from app.heartbeats h limit 1) as at;
      reset role`,
  ],
  [
    'let the watermark be later than now',
    'sql/access/watermark sql/access/heartbeats',
    `set role studio_owner;
      create or replace view access.current_watermark with (security_invoker = true) as
        select (select h.at from app.heartbeats h
          where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1)::timestamptz as at;
      reset role`,
  ],
  [
    'write down a moment that was not announced before',
    'sql/access/watermark sql/access/heartbeats',
    inFunction('access.heartbeat', `timestamptz 'epoch' + announced *`, `timestamptz 'epoch' + clock *`),
  ],
  [
    'drop the heartbeat that an open write still needs',
    'sql/access/watermark sql/access/heartbeats',
    inFunction(
      'access.heartbeat',
      'where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by',
      'order by',
    ),
  ],
  [
    'go on in another history as if it were the same',
    'sql/access/watermark sql/access/heartbeats',
    inFunction(
      'access.heartbeat',
      'if history is distinct from last_history then',
      `if history = 'x' and history is distinct from last_history then`,
    ),
  ],
  [
    'believe removals of another history',
    'sql/access/watermark sql/access/heartbeats',
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
      file: 'src/api/serve.ts',
      from: 'else if (position && !cursors.isOf(position, studioId))',
      to: `else if (position && studioId === '')`,
    },
  ],
  [
    'move no version when something is removed',
    'rest/conditional sql/app/data_versions',
    'drop trigger bump_updated on app.items',
  ],
]
