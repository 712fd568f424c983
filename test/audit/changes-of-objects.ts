import { byHand, type Change, less, login, more, other } from './changes.ts'

/** A studio with a location, so that there is something to gather statistics of, or to be mapped to. */
const studio = (name: string) =>
  `perform access.create_studio('${name}', '${name}@example.com', '${name}', 'studio', 'UTC', 'EUR')`
const twoStudios = `set local role studio_owner; do $$ begin ${studio('One')}; ${studio('Two')}; end $$; reset role;`
const mapped = `${twoStudios} create role analyst_0123456789ab login inherit connection limit 2 valid until '2100-01-01'
    in role studio_analyst;
  insert into access.analyst_logins (login, studio_id) select 'analyst_0123456789ab', id from app.studios where name = 'One';`
const repoint = `update access.analyst_logins set studio_id = (select id from app.studios where name = 'Two');`

/** Tables, columns, indexes, statistics, and what PostgreSQL has besides. */
export const changesOfObjects: readonly Change[] = [
  {
    title: 'a table in another schema, granted to one login',
    plant: `${login} create schema other; create table other.copies as select * from app.items;
      grant usage on schema other to studio_test_offender; grant select on other.copies to studio_test_offender`,
    finds: [[more, 'table other.copies', 'studio_test_offender SELECT']],
  },
  {
    title: 'a child table without row-level security',
    plant: 'create table app.more_items () inherits (app.items)',
    finds: [[more, 'table app.more_items', 'inherits from app.items']],
  },
  {
    title: 'a materialised view, a sequence and a type',
    plant: `create materialized view public.all_items as select * from app.items; create sequence public.counter;
      create type public.mood as enum ('good')`,
    finds: [
      [more, 'materialized view public.all_items'],
      [more, 'sequence public.counter'],
      [more, 'type public.mood'],
    ],
  },
  {
    title: 'a sequence with other bounds, of another owner',
    plant: 'alter sequence app.announced_moment cycle; alter sequence app.announced_moment owner to studio_console',
    finds: [
      [other, 'sequence app.announced_moment', 'sequence: '],
      [other, 'sequence app.announced_moment', 'owner: '],
    ],
  },
  {
    title: 'a sequence that is gone',
    plant: 'drop sequence app.announced_moment',
    finds: [[less, 'sequence app.announced_moment']],
  },
  {
    title: 'statistics gathered and the target then set back to 0',
    plant: `${twoStudios} select set_config('studio.id', id::text, true) from app.studios where name = 'One';
      insert into app.locations (studio_id, name, type) select id, 'Secret', 'room' from app.studios where name = 'One';
      alter table app.locations alter column name set statistics 100; analyze app.locations;
      alter table app.locations alter column name set statistics 0`,
    finds: [[other, 'column app.locations.name', 'statistics kept: yes']],
  },
  {
    title: 'a column of which statistics are to be gathered',
    plant: 'alter table app.items alter column serial_number set statistics 10',
    finds: [[other, 'column app.items.serial_number', 'statistics: 10; this release: 0']],
  },
  {
    title: 'extended statistics',
    plant: 'create statistics public.pairs on name, model from app.items',
    finds: [[more, 'statistics object public.pairs']],
  },
  {
    title: 'a column more',
    plant: 'alter table access.tokens add column secret text',
    finds: [[more, 'column access.tokens.secret']],
  },
  {
    title: 'a column that may be empty from now on',
    plant: 'alter table access.tokens alter column digest drop not null',
    finds: [[other, 'column access.tokens.digest', 'not null: none']],
  },
  {
    title: 'another default',
    plant: `alter table access.users alter column created_at set default '2000-01-01'`,
    finds: [[other, 'column access.users.created_at', 'default']],
  },
  {
    title: 'a constraint that is gone',
    plant: 'alter table app.item_photos drop constraint item_photos_studio_id_item_id_fkey',
    finds: [[less, 'constraint item_photos_studio_id_item_id_fkey on app.item_photos']],
  },
  {
    title: 'a constraint that does not hold for what is there',
    plant: `alter domain app.amount drop constraint amount_check;
      alter domain app.amount add constraint amount_check check (value >= 0 and value <= 999999999999.99) not valid`,
    finds: [[other, 'constraint amount_check on app.amount', 'validated: no']],
  },
  {
    title: 'an index that is gone',
    plant: 'drop index app.items_by_update',
    finds: [[less, 'index app.items_by_update']],
  },
  {
    title: 'an index that no plan can use',
    plant: `${byHand} update pg_index set indisvalid = false where indexrelid = 'app.items_by_update'::regclass`,
    finds: [[other, 'index app.items_by_update', 'usable: no']],
  },
  {
    title: 'a table that gives whole rows to replication',
    plant: 'alter table app.policies replica identity full',
    finds: [[other, 'table app.policies', 'replica identity: f']],
  },
  {
    title: 'a table that loses its rows in a crash',
    plant: 'alter table access.audit_log set unlogged',
    finds: [[other, 'table access.audit_log', 'persistence: u']],
  },
  {
    title: 'a publication of every table',
    plant: 'create publication everything for all tables',
    finds: [[more, 'publication everything']],
  },
  {
    title: 'a publication of one table',
    plant: 'create publication one for table app.items',
    finds: [
      [more, 'publication one'],
      [more, 'publication relation app.items in publication one'],
    ],
  },
  {
    title: 'a subscription',
    plant: `create subscription sub connection 'dbname=elsewhere' publication p with (connect = false, slot_name = none)`,
    finds: [[more, 'subscription sub']],
  },
  { title: 'a large object', plant: 'select lo_create(424242)', finds: [[more, 'large object 424242']] },
  {
    title: 'a foreign server with its wrapper, its table and a mapping to it',
    plant: `create foreign data wrapper away; create server far foreign data wrapper away;
      create user mapping for studio_analyst server far options (password 'x'); create foreign table public.far_items () server far`,
    finds: [
      [more, 'foreign-data wrapper away'],
      [more, 'server far'],
      [more, 'user mapping studio_analyst on server far'],
      [more, 'foreign table public.far_items'],
    ],
  },
  {
    title: 'a cast that is applied unasked',
    plant: 'create cast (text as uuid) with inout as implicit',
    finds: [[more, 'cast (pg_catalog.text AS pg_catalog.uuid)']],
  },
  {
    title: 'an operator of a user',
    plant: 'create operator public.=== (leftarg = uuid, rightarg = uuid, function = uuid_eq)',
    finds: [[more, 'operator public.===(pg_catalog.uuid,pg_catalog.uuid)']],
  },
  {
    title: 'an operator class, a collation and a text search configuration',
    plant: `create operator class public.by_id for type uuid using btree as operator 3 =, function 1 uuid_cmp(uuid, uuid);
      create collation public.plain (locale = 'C'); create text search configuration public.words (copy = simple)`,
    finds: [
      [more, 'operator class public.by_id USING btree'],
      [more, 'collation public.plain'],
      [more, 'text search configuration public.words'],
    ],
  },
  {
    title: 'an access method and a language',
    plant: `create access method pile type table handler heap_tableam_handler;
      create language other handler plpgsql_call_handler`,
    finds: [
      [more, 'access method pile'],
      [more, 'language other', 'everybody USAGE'],
    ],
  },
  {
    title: 'a transform',
    plant: `create function public.turn(internal) returns internal language internal strict immutable as 'array_subscript_handler';
      create transform for uuid language plpgsql (from sql with function public.turn(internal))`,
    finds: [[more, 'transform for pg_catalog.uuid']],
  },
  {
    title: 'a security label',
    plant: `${byHand} insert into pg_seclabel values ('app.items'::regclass, 'pg_class'::regclass, 0, 'a provider', 'open')`,
    finds: [[more, 'security label a provider on table app.items']],
  },
  {
    title: 'an analyst’s login pointed at another studio',
    plant: `${mapped} ${repoint}`,
    finds: [['analyst_mapping_changed', 'role analyst_0123456789ab', 'was first mapped to another studio']],
  },
  {
    title: 'an analyst’s login pointed at another studio past the log',
    plant: `${mapped} alter table access.analyst_logins disable trigger log; ${repoint}`,
    finds: [
      ['analyst_mapping_changed', 'role analyst_0123456789ab', 'was first mapped to another studio'],
      [other, 'trigger log on access.analyst_logins', 'fires: D'],
    ],
  },
  {
    title: 'a mapping of a login that is not there',
    plant: `${mapped} drop role analyst_0123456789ab`,
    finds: [['analyst_mapping_changed', 'role analyst_0123456789ab', 'has no role']],
  },
  {
    title: 'a mapping of a login that is no analyst',
    plant: `${mapped} revoke studio_analyst from analyst_0123456789ab`,
    finds: [['analyst_mapping_changed', 'role analyst_0123456789ab', 'is no member']],
  },
]
