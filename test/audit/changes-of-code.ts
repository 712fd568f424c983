import { byHand, type Change, itemsPolicy, less, login, more, other, system } from './changes.ts'

/** Functions, triggers, rules, policies and views: what is run when somebody reads or writes. */
export const changesOfCode: readonly Change[] = [
  [
    `${login} create schema other; grant usage on schema other to studio_test_spy;
      create function other.leak() returns bigint language sql security definer return 1;
      revoke all on function other.leak() from public; grant execute on function other.leak() to studio_test_spy`,
    [more, 'schema other', 'studio_test_spy USAGE'],
    [more, 'function other.leak()', 'studio_test_spy EXECUTE'],
  ],
  [
    `create or replace function access.current_studio_id() returns uuid language plpgsql stable security definer
      set search_path = '' as $$ begin return current_setting('studio.id', true)::uuid; end $$`,
    [other, 'function access.current_studio_id()', 'body'],
  ],
  ['alter function access.current_plan() leakproof', [other, 'function access.current_plan()', 'leakproof: yes']],
  ['alter function access.refuse_change() security definer', [other, 'function access.refuse_change()', 'its owner']],
  [
    'alter function access.open_session(bytea, inet) reset search_path',
    [other, 'function access.open_session(bytea,inet)', 'settings: none'],
  ],
  [
    `create procedure public.act() language sql begin atomic select 1; end;
      create aggregate public.gather(text) (sfunc = textcat, stype = text)`,
    [more, 'function public.act()'],
    [more, 'function public.gather(text)'],
  ],
  ['drop trigger append_only on access.audit_log', [less, 'trigger append_only on access.audit_log']],
  [
    'alter table access.audit_log disable trigger append_only',
    [other, 'trigger append_only on access.audit_log', 'fires: D; this release: O'],
  ],
  [
    'alter table app.item_photos disable trigger all',
    [
      other,
      'trigger of constraint item_photos_studio_id_item_id_fkey: "RI_FKey_check_ins" on app.item_photos',
      'fires: D',
    ],
  ],
  [
    `create trigger copy after insert on app.items for each row execute function app.touch()`,
    [more, 'trigger copy on app.items'],
  ],
  [
    `create function public.watch() returns event_trigger language plpgsql as 'begin end';
      create event trigger watching on ddl_command_end execute function public.watch()`,
    [more, 'event trigger watching'],
    [more, 'function public.watch()'],
  ],
  ['create rule copy as on insert to app.items do also notify items', [more, 'rule copy on app.items']],
  [
    `create schema other; create function other.current_studio_id() returns uuid language sql stable return null::uuid;
      set local search_path = other, access; alter policy ${itemsPolicy} on app.items
        using (studio_id = (select current_studio_id()))`,
    [other, `policy ${itemsPolicy} on app.items`, 'using: '],
    [more, 'function other.current_studio_id()'],
  ],
  [
    'create policy more on app.policies to studio_graphql using (true)',
    [more, 'policy more on app.policies', 'studio_graphql'],
  ],
  ['alter table access.tokens disable row level security', [other, 'table access.tokens', 'row-level security']],
  ['alter table app.items no force row level security', [other, 'table app.items', 'row-level security for the owner']],
  [
    `create or replace view audit.safe_versions with (security_invoker = true) as
      select v.major, v.minor from (values (15, 0)) as v (major, minor)`,
    [other, 'view audit.safe_versions', 'definition'],
  ],
  [
    'alter function pg_catalog.jsonb_object_field(jsonb, text) leakproof',
    [system, 'function jsonb_object_field(jsonb,text)'],
  ],
  [
    `${byHand} update pg_proc set prosrc = 'booleq' where oid = 'pg_catalog.uuid_eq(uuid, uuid)'::regprocedure`,
    [system, 'function uuid_eq(uuid,uuid)'],
  ],
  [
    `${byHand} create or replace view pg_catalog.pg_user_mappings as
      select u.oid as umid, s.oid as srvid, s.srvname, u.umuser, ''::name as usename, u.umoptions
      from pg_catalog.pg_user_mapping u join pg_catalog.pg_foreign_server s on s.oid = u.umserver`,
    [system, 'view pg_user_mappings'],
  ],
  [
    `${byHand} create function pg_catalog.current_plan() returns text language sql return 'studio'`,
    [more, 'function current_plan()'],
  ],
  ['alter operator pg_catalog.= (uuid, uuid) set (restrict = none)', [system, 'operator =(uuid,uuid)']],
  [
    `${byHand} update pg_range set rngcanonical = 0, rngsubdiff = 'numrange_subdiff'::regproc
      where rngtypid = 'int4range'::regtype`,
    [system, 'type int4range'],
  ],
  [`${byHand} delete from pg_proc where oid = 'pg_ls_waldir()'::regprocedure`, [system, 'routine']],
  [
    `comment on view api_v1.items is 'A stranger has a camera.'; comment on function pg_catalog.pg_sleep(float8) is 'his'`,
    [other, 'comment on view api_v1.items', 'A stranger'],
    [other, 'comment on what comes with the server'],
  ],
]
