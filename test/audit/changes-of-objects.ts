import { byHand, type Change, less, login, more, other } from './changes.ts'

/** A studio with a location: something to gather statistics of, or to be mapped to. */
const studio = (name: string) =>
  `perform access.create_studio('${name}', '${name}@example.com', '${name}', 'studio', 'UTC', 'EUR')`
const twoStudios = `set local role studio_owner; do $$ begin ${studio('One')}; ${studio('Two')}; end $$; reset role;`
const mapped = `${twoStudios} create role analyst_0123456789ab login inherit connection limit 2 valid until '2100-01-01'
    in role studio_analyst;
  insert into access.analyst_logins (login, studio_id) select 'analyst_0123456789ab', id from app.studios where name = 'One';`
const moved = ['analyst_mapping_changed', 'role analyst_0123456789ab'] as const
const repoint = `update access.analyst_logins set studio_id = (select id from app.studios where name = 'Two');`

/** Tables, columns, indexes, statistics, and what PostgreSQL has besides. */
export const changesOfObjects: readonly Change[] = [
  [
    `${login} create schema other; create table other.copies as select * from app.items;
      grant usage on schema other to studio_test_spy; grant select on other.copies to studio_test_spy`,
    [more, 'table other.copies', 'studio_test_spy SELECT'],
  ],
  ['create table app.more_items () inherits (app.items)', [more, 'table app.more_items', 'inherits from app.items']],
  [
    `create materialized view public.all_items as select * from app.items; create sequence public.counter;
      create type public.mood as enum ('good')`,
    [more, 'materialized view public.all_items'],
    [more, 'sequence public.counter'],
    [more, 'type public.mood'],
  ],
  [
    'alter sequence app.announced_moment cycle; alter sequence app.announced_moment owner to studio_console',
    [other, 'sequence app.announced_moment', 'sequence: '],
    [other, 'sequence app.announced_moment', 'owner: '],
  ],
  ['drop sequence app.announced_moment', [less, 'sequence app.announced_moment']],
  [
    `${twoStudios} select set_config('studio.id', id::text, true) from app.studios where name = 'One';
      insert into app.locations (studio_id, name, type) select id, 'Secret', 'room' from app.studios where name = 'One';
      alter table app.locations alter column name set statistics 100; analyze app.locations;
      alter table app.locations alter column name set statistics 0`,
    [other, 'column app.locations.name', 'statistics kept: yes'],
  ],
  [
    'alter table app.items alter column serial_number set statistics 10',
    [other, 'column app.items.serial_number', 'statistics: 10; this release: 0'],
  ],
  ['create statistics public.pairs on name, model from app.items', [more, 'statistics object public.pairs']],
  ['alter table access.tokens add column secret text', [more, 'column access.tokens.secret']],
  [
    'alter table access.tokens alter column digest drop not null',
    [other, 'column access.tokens.digest', 'not null: none'],
  ],
  [
    'alter table app.item_photos drop constraint item_photos_studio_id_item_id_fkey',
    [less, 'constraint item_photos_studio_id_item_id_fkey on app.item_photos'],
  ],
  [
    `alter domain app.amount drop constraint amount_check;
      alter domain app.amount add constraint amount_check check (value >= 0 and value <= 999999999999.99) not valid`,
    [other, 'constraint amount_check on app.amount', 'validated: no'],
  ],
  ['drop index app.items_by_update', [less, 'index app.items_by_update']],
  [
    `${byHand} update pg_index set indisvalid = false where indexrelid = 'app.items_by_update'::regclass`,
    [other, 'index app.items_by_update', 'usable: no'],
  ],
  ['alter table access.audit_log set unlogged', [other, 'table access.audit_log', 'persistence: u']],
  [
    'create publication one for table app.items',
    [more, 'publication one'],
    [more, 'publication relation app.items in publication one'],
  ],
  [
    `create subscription sub connection 'dbname=elsewhere' publication p with (connect = false, slot_name = none)`,
    [more, 'subscription sub'],
  ],
  ['select lo_create(424242)', [more, 'large object 424242']],
  [
    `create foreign data wrapper away; create server far foreign data wrapper away;
      create user mapping for studio_analyst server far options (password 'x'); create foreign table public.far_items () server far`,
    [more, 'foreign-data wrapper away'],
    [more, 'server far'],
    [more, 'user mapping studio_analyst on server far'],
    [more, 'foreign table public.far_items'],
  ],
  ['create cast (text as uuid) with inout as implicit', [more, 'cast (pg_catalog.text AS pg_catalog.uuid)']],
  [
    'create operator public.=== (leftarg = uuid, rightarg = uuid, function = uuid_eq)',
    [more, 'operator public.===(pg_catalog.uuid,pg_catalog.uuid)'],
  ],
  [
    `create operator class public.by_id for type uuid using btree as operator 3 =, function 1 uuid_cmp(uuid, uuid);
      create collation public.plain (locale = 'C'); create text search configuration public.words (copy = simple)`,
    [more, 'operator class public.by_id USING btree'],
    [more, 'collation public.plain'],
    [more, 'text search configuration public.words'],
  ],
  [
    `create access method pile type table handler heap_tableam_handler;
      create language other handler plpgsql_call_handler`,
    [more, 'access method pile'],
    [more, 'language other', 'everybody USAGE'],
  ],
  [
    `create function public.turn(internal) returns internal language internal strict immutable as 'array_subscript_handler';
      create transform for uuid language plpgsql (from sql with function public.turn(internal))`,
    [more, 'transform for pg_catalog.uuid'],
  ],
  [
    `${byHand} insert into pg_seclabel values ('app.items'::regclass, 'pg_class'::regclass, 0, 'a provider', 'open')`,
    [more, 'security label a provider on table app.items'],
  ],
  [`${mapped} ${repoint}`, [...moved, 'was first mapped to another studio']],
  [
    `${mapped} alter table access.analyst_logins disable trigger log; ${repoint}`,
    [...moved, 'was first mapped to another studio'],
    [other, 'trigger log on access.analyst_logins', 'fires: D'],
  ],
  [`${mapped} drop role analyst_0123456789ab`, [...moved, 'has no role']],
  [`${mapped} revoke studio_analyst from analyst_0123456789ab`, [...moved, 'is no member']],
]
