import { byHand, type Change, itemsPolicy, less, login, more, other, system } from './changes.ts'

/** Functions, triggers, rules, policies and views: what is run when somebody reads or writes. */
export const changesOfCode: readonly Change[] = [
  {
    title: 'a superuser’s SECURITY DEFINER function in another schema, granted to one login',
    plant: `${login} create schema other; grant usage on schema other to studio_test_offender;
      create function other.leak() returns bigint language sql security definer return 1;
      revoke all on function other.leak() from public; grant execute on function other.leak() to studio_test_offender`,
    finds: [
      [more, 'schema other', 'studio_test_offender USAGE'],
      [more, 'function other.leak()', 'studio_test_offender EXECUTE'],
    ],
  },
  {
    title: 'the body of access.current_studio_id() replaced by one that believes the setting',
    plant: `create or replace function access.current_studio_id() returns uuid language plpgsql stable security definer
      set search_path = '' as $$ begin return current_setting('studio.id', true)::uuid; end $$`,
    finds: [[other, 'function access.current_studio_id()', 'body']],
  },
  {
    title: 'a guard that costs more than what an analyst writes',
    plant: 'alter function access.current_studio_id() cost 100000',
    finds: [[other, 'function access.current_studio_id()', 'cost']],
  },
  {
    title: 'a function of this release that is called leakproof',
    plant: 'alter function access.current_plan() leakproof',
    finds: [[other, 'function access.current_plan()', 'leakproof: yes']],
  },
  {
    title: 'a leakproof function of a user',
    plant: 'create function public.peek(text) returns boolean language sql immutable leakproof return true',
    finds: [[more, 'function public.peek(text)', 'leakproof yes']],
  },
  {
    title: 'a function that runs with its owner’s rights from now on',
    plant: 'alter function access.refuse_change() security definer',
    finds: [[other, 'function access.refuse_change()', 'its owner']],
  },
  {
    title: 'a function that looks up names on its caller’s search path',
    plant: 'alter function access.open_session(bytea, inet) reset search_path',
    finds: [[other, 'function access.open_session(bytea,inet)', 'settings: none']],
  },
  {
    title: 'a procedure and an aggregate',
    plant: `create procedure public.act() language sql begin atomic select 1; end;
      create aggregate public.gather(text) (sfunc = textcat, stype = text)`,
    finds: [
      [more, 'function public.act()'],
      [more, 'function public.gather(text)'],
    ],
  },
  {
    title: 'the trigger that keeps the audit log dropped',
    plant: 'drop trigger append_only on access.audit_log',
    finds: [[less, 'trigger append_only on access.audit_log']],
  },
  {
    title: 'the trigger that keeps the audit log disabled',
    plant: 'alter table access.audit_log disable trigger append_only',
    finds: [[other, 'trigger append_only on access.audit_log', 'fires: D; this release: O']],
  },
  {
    title: 'the trigger that keeps the log of analysts firing for replication alone',
    plant: 'alter table access.analyst_log enable replica trigger append_only',
    finds: [[other, 'trigger append_only on access.analyst_log', 'fires: R']],
  },
  {
    title: 'foreign keys that are no longer checked',
    plant: 'alter table app.item_photos disable trigger all',
    finds: [
      [
        other,
        'trigger of constraint item_photos_studio_id_item_id_fkey: "RI_FKey_check_ins" on app.item_photos',
        'fires: D',
      ],
    ],
  },
  {
    title: 'a trigger that copies what is written',
    plant: `create trigger copy after insert on app.items for each row execute function app.touch()`,
    finds: [[more, 'trigger copy on app.items']],
  },
  {
    title: 'an event trigger',
    plant: `create function public.watch() returns event_trigger language plpgsql as 'begin end';
      create event trigger watching on ddl_command_end execute function public.watch()`,
    finds: [
      [more, 'event trigger watching'],
      [more, 'function public.watch()'],
    ],
  },
  {
    title: 'a rule that does something else too',
    plant: 'create rule copy as on insert to app.items do also notify items',
    finds: [[more, 'rule copy on app.items']],
  },
  {
    title: 'a policy whose USING calls a namesake on the search path',
    plant: `create schema other; create function other.current_studio_id() returns uuid language sql stable return null::uuid;
      set local search_path = other, access; alter policy ${itemsPolicy} on app.items
        using (studio_id = (select current_studio_id()))`,
    finds: [
      [other, `policy ${itemsPolicy} on app.items`, 'using: '],
      [more, 'function other.current_studio_id()'],
    ],
  },
  {
    title: 'a policy that lets one role see everything',
    plant: 'create policy more on app.policies to studio_graphql using (true)',
    finds: [[more, 'policy more on app.policies', 'studio_graphql']],
  },
  {
    title: 'a policy that is gone',
    plant: `drop policy "A studio's policies are seen and written by that studio alone" on app.policies`,
    finds: [[less, `policy "A studio's policies are seen and written by that studio alone" on app.policies`]],
  },
  {
    title: 'row-level security disabled on a table that nobody may read',
    plant: 'alter table access.tokens disable row level security',
    finds: [[other, 'table access.tokens', 'row-level security']],
  },
  {
    title: 'row-level security that does not hold for the owner',
    plant: 'alter table app.items no force row level security',
    finds: [[other, 'table app.items', 'row-level security for the owner']],
  },
  {
    title: 'a view with other content',
    plant: `create or replace view audit.safe_versions with (security_invoker = true) as
      select v.major, v.minor from (values (15, 0)) as v (major, minor)`,
    finds: [[other, 'view audit.safe_versions', 'definition']],
  },
  {
    title: 'a view that reads with its owner’s rights',
    plant: 'alter view api_v1.items reset (security_invoker)',
    finds: [[other, 'view api_v1.items', 'options']],
  },
  {
    title: 'a function that comes with the server called leakproof',
    plant: 'alter function pg_catalog.jsonb_object_field(jsonb, text) leakproof',
    finds: [[system, 'function jsonb_object_field(jsonb,text)']],
  },
  {
    title: 'a function that comes with the server run with its owner’s rights',
    plant: 'alter function pg_catalog.pg_ls_waldir() security definer',
    finds: [[system, 'function pg_ls_waldir()']],
  },
  {
    title: 'a function that comes with the server running other code',
    plant: `${byHand} update pg_proc set prosrc = 'booleq' where oid = 'pg_catalog.uuid_eq(uuid, uuid)'::regprocedure`,
    finds: [[system, 'function uuid_eq(uuid,uuid)']],
  },
  {
    title: 'a view of the server without its condition',
    plant: `${byHand} create or replace view pg_catalog.pg_user_mappings as
      select u.oid as umid, s.oid as srvid, s.srvname, u.umuser, ''::name as usename, u.umoptions
      from pg_catalog.pg_user_mapping u join pg_catalog.pg_foreign_server s on s.oid = u.umserver`,
    finds: [[system, 'view pg_user_mappings']],
  },
  {
    title: 'a function in pg_catalog, where every session finds it',
    plant: `${byHand} create function pg_catalog.current_plan() returns text language sql return 'studio'`,
    finds: [[more, 'function current_plan()']],
  },
  {
    title: 'an operator of the server that is estimated another way',
    plant: 'alter operator pg_catalog.= (uuid, uuid) set (restrict = none)',
    finds: [[system, 'operator =(uuid,uuid)']],
  },
  {
    title: 'a range of the server that is made canonical by other code',
    plant: `${byHand} update pg_range set rngcanonical = 0, rngsubdiff = 'numrange_subdiff'::regproc
      where rngtypid = 'int4range'::regtype`,
    finds: [[system, 'type int4range']],
  },
  {
    title: 'a function of the server that is gone',
    plant: `${byHand} delete from pg_proc where oid = 'pg_ls_waldir()'::regprocedure`,
    finds: [[system, 'routine']],
  },
  {
    title: 'a text of a stranger in a comment',
    plant: `comment on view api_v1.items is 'A stranger has a camera.'; comment on function pg_catalog.pg_sleep(float8) is 'his'`,
    finds: [
      [other, 'comment on view api_v1.items', 'A stranger'],
      [other, 'comment on what comes with the server'],
    ],
  },
]
