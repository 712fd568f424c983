import type { Offence } from './offence.ts'

/** Rules about tables, their keys and what the server knows of their content; and about the server itself. */
export const offencesOfTables: Record<string, Offence[]> = {
  permissive_policies_that_add_up: [
    {
      title: 'for every command and for one',
      offend: 'create policy more on app.items for select using (false)',
      objects: ['app.items'],
      cure: 'drop policy more on app.items',
    },
    {
      title: 'for one command',
      offend: `create table app.new (studio_id uuid);
        create policy one on app.new for insert with check (false); create policy two on app.new for insert with check (false);
        create policy three on app.new for delete using (false)`,
      objects: ['app.new'],
      cure: 'drop policy two on app.new',
    },
  ],
  extended_statistics: [
    {
      title: 'on columns',
      offend: 'create statistics app.pairs on name, model from app.items',
      objects: ['app.pairs'],
    },
    {
      title: 'on an expression, kept in another schema',
      offend: 'create statistics public.spelling on (lower(name)) from app.policies',
      objects: ['public.spelling'],
    },
  ],
  foreign_key_across_studios: [
    {
      title: 'to a column that is unique by itself',
      offend: `alter table app.items add constraint one_id unique (id);
        alter table app.item_photos add constraint loose foreign key (item_id) references app.items (id)`,
      objects: ['constraint loose on app.item_photos'],
      cure: 'alter table app.item_photos drop constraint loose',
    },
    {
      title: 'that compares another column with studio_id',
      offend: `create table app.new (studio_id uuid, other_studio_id uuid, item_id uuid,
        constraint askew foreign key (other_studio_id, item_id) references app.items (studio_id, id))`,
      objects: ['constraint askew on app.new'],
      cure: 'alter table app.new drop constraint askew',
    },
    {
      title: 'to a studio from another column',
      offend: `create table app.new (studio_id uuid references app.studios,
        lent_to uuid constraint loan references app.studios)`,
      objects: ['constraint loan on app.new'],
      cure: 'alter table app.new drop constraint loan',
    },
    {
      title: 'from a table without studio_id',
      offend: `create table access.new (owner uuid, id uuid,
        constraint stray foreign key (owner, id) references app.policies (studio_id, id))`,
      objects: ['constraint stray on access.new'],
      cure: 'alter table access.new drop constraint stray',
    },
  ],
  foreign_key_without_index: [
    {
      title: 'that never had one',
      offend: `create table app.new (studio_id uuid, item_id uuid,
        constraint bare foreign key (studio_id, item_id) references app.items)`,
      objects: ['constraint bare on app.new'],
    },
    {
      title: 'that covers all of it, all rows and is in the front',
      offend: `create table app.new (studio_id uuid, item_id uuid, kept boolean,
          constraint bare foreign key (studio_id, item_id) references app.items);
        create index on app.new (studio_id, kept, item_id); create index on app.new (studio_id, item_id) where kept;
        create index on app.new (studio_id) include (item_id)`,
      objects: ['constraint bare on app.new'],
    },
    {
      title: 'any more',
      offend: 'drop index access.tokens_by_issuer',
      objects: ['constraint tokens_issued_by_fkey on access.tokens'],
    },
  ],
  server_below_safe_version: [
    {
      title: 'of its major version',
      prepare: safeVersions(`current_setting('server_version_num')::integer % 10000`),
      offend: safeVersions(`current_setting('server_version_num')::integer % 10000 + 1`),
      objects: ['server'],
      cure: safeVersions(`current_setting('server_version_num')::integer % 10000`),
    },
    {
      title: 'of any major version',
      prepare: safeVersions(`current_setting('server_version_num')::integer % 10000`),
      offend: safeVersions('0', 1),
      objects: ['server'],
      cure: safeVersions(`current_setting('server_version_num')::integer % 10000`),
    },
  ],
}

/** The list of safe versions, as if this server's major version (or one as many later) had become safe with a minor. */
function safeVersions(minor: string, later = 0): string {
  return `create or replace view audit.safe_versions with (security_invoker = true) as
    select current_setting('server_version_num')::integer / 10000 + ${later} as major, ${minor} as minor`
}
