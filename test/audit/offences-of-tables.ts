import type { Offence } from './offence.ts'

const minor = `current_setting('server_version_num')::integer % 10000`

export const offencesOfTables: Record<string, Offence[]> = {
  permissive_policies_that_add_up: [
    ['create policy more on app.items for select using (false)', 'app.items', 'drop policy more on app.items'],
    [
      `create table app.new (studio_id uuid);
        create policy one on app.new for insert with check (false); create policy two on app.new for insert with check (false);
        create policy three on app.new for delete using (false)`,
      'app.new',
      'drop policy two on app.new',
    ],
  ],
  extended_statistics: [
    ['create statistics app.pairs on name, model from app.items', 'app.pairs'],
    ['create statistics public.spelling on (lower(name)) from app.policies', 'public.spelling'],
  ],
  foreign_key_across_studios: [
    [
      `alter table app.items add constraint one_id unique (id);
        alter table app.item_photos add constraint loose foreign key (item_id) references app.items (id)`,
      'constraint loose on app.item_photos',
      'alter table app.item_photos drop constraint loose',
    ],
    [
      `create table app.new (studio_id uuid, other_studio_id uuid, item_id uuid,
        constraint askew foreign key (other_studio_id, item_id) references app.items (studio_id, id))`,
      'constraint askew on app.new',
      'alter table app.new drop constraint askew',
    ],
    [
      `create table app.new (studio_id uuid references app.studios,
        lent_to uuid constraint loan references app.studios)`,
      'constraint loan on app.new',
      'alter table app.new drop constraint loan',
    ],
    [
      `create table access.new (owner uuid, id uuid,
        constraint stray foreign key (owner, id) references app.policies (studio_id, id))`,
      'constraint stray on access.new',
      'alter table access.new drop constraint stray',
    ],
  ],
  foreign_key_without_index: [
    [
      `create table app.new (studio_id uuid, item_id uuid,
        constraint bare foreign key (studio_id, item_id) references app.items)`,
      'constraint bare on app.new',
    ],
    [
      `create table app.new (studio_id uuid, item_id uuid, kept boolean,
          constraint bare foreign key (studio_id, item_id) references app.items);
        create index on app.new (studio_id, kept, item_id); create index on app.new (studio_id, item_id) where kept;
        create index on app.new (studio_id) include (item_id)`,
      'constraint bare on app.new',
    ],
    ['drop index access.tokens_by_issuer', 'constraint tokens_issued_by_fkey on access.tokens'],
  ],
  server_below_safe_version: [
    [safeVersions(`${minor} + 1`), 'server', safeVersions(minor), safeVersions(minor)],
    [safeVersions('0', 1), 'server', safeVersions(minor), safeVersions(minor)],
  ],
}

/** The list of safe versions, as if this server's major version (or one as many later) had become
 * safe with a minor. */
function safeVersions(minor: string, later = 0): string {
  return `create or replace view audit.safe_versions with (security_invoker = true) as
    select current_setting('server_version_num')::integer / 10000 + ${later} as major, ${minor} as minor`
}
