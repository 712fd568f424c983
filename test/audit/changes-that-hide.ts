import { byHand, type Change, inDatabase, login, more, other, overloaded } from './changes.ts'

const offender = 'role studio_test_offender'
const leak = (schema: string) =>
  `create function ${schema}.leak() returns bigint language sql security definer return 1`

/** What hides by a name, by a flag, by a grantor or behind what is known. */
export const changesThatHide: readonly Change[] = [
  {
    title: 'a schema that is called like one of temporary objects, with what is in it',
    plant: `${byHand} create schema evil; grant usage on schema evil to studio_analyst; ${leak('evil')};
      create table evil.copies as select * from app.items; alter schema evil rename to pg_temp_hidden`,
    finds: [
      [more, 'schema pg_temp_hidden', 'studio_analyst USAGE'],
      [more, 'function pg_temp_hidden.leak()', 'its owner'],
      [more, 'table pg_temp_hidden.copies'],
    ],
  },
  {
    title: 'a schema that is renamed to one of temporary objects, with a number',
    plant: `${byHand} create schema evil; create table evil.copies as select * from app.items; ${leak('evil')};
      update pg_namespace set nspname = 'pg_temp_4242', nspowner = 10 where nspname = 'evil'`,
    finds: [
      [more, 'function pg_temp_4242.leak()'],
      [more, 'table pg_temp_4242.copies'],
    ],
  },
  {
    title: 'a function and a view of a session, and the right to name them',
    plant: `${leak('pg_temp')}; create temp view items as select * from app.items;
      do $$ begin execute format('grant usage on schema %s to studio_analyst', pg_my_temp_schema()::regnamespace); end $$`,
    finds: [
      [more, 'schema pg_temp_', 'studio_analyst USAGE'],
      [more, 'function pg_temp_', 'its owner'],
      [more, 'view pg_temp_'],
    ],
  },
  {
    title: 'a trigger, a rule and a policy on a table that has a namesake of another kind',
    plant: `create collation app.items (locale = 'C'); create trigger copy after insert on app.items for each row
        execute function app.touch(); create rule copy as on insert to app.items do also notify items;
      create policy less on app.items as restrictive using (true)`,
    finds: [
      [more, 'collation app.items'],
      [more, 'trigger copy on app.items'],
      [more, 'rule copy on app.items'],
      [more, 'policy less on app.items'],
    ],
  },
  {
    title: 'a role that is called like an administrator',
    plant: `create role administrator; ${inDatabase('alter database %I owner to administrator')}`,
    finds: [[other, 'database', 'owner: "administrator"; this release: administrator']],
  },
  {
    title: 'a role that is called like everybody',
    plant: 'create role everybody; grant select on api_v1.items to everybody',
    finds: [[other, 'view api_v1.items', 'privileges of "everybody": SELECT; this release: none']],
  },
  {
    title: 'an operator of the catalog that the questions would take',
    plant: `${byHand} create function public.no(oid, integer) returns boolean language sql immutable return false;
      create operator pg_catalog.>= (leftarg = oid, rightarg = integer, function = public.no); create schema other; ${leak('other')}`,
    finds: [
      [overloaded, 'operator >='],
      ['rules_not_asked', 'schema audit'],
      [more, 'function other.leak()'],
    ],
  },
  {
    title: 'a function of the catalog that the questions would take',
    plant: `${byHand} create function pg_catalog.quote_ident(name) returns text language sql immutable return 'items'`,
    finds: [[overloaded, 'function quote_ident']],
  },
  ...(
    [
      ['access.audit_log', 'relhastriggers = false', 'triggers'],
      ['app.items', 'relchecks = 0', 'checks'],
      ['app.items', 'relhasindex = false', 'indexes'],
    ] as const
  ).map(([table, change, says]) => ({
    title: `a table of which the catalog says that there are no ${says}`,
    plant: `update pg_class set ${change} where oid = '${table}'::regclass`,
    finds: [[other, `table ${table}`, `switched off by hand: ${says}`]] as const,
  })),
  {
    title: 'a default that the catalog passes over',
    plant: `update pg_attribute set atthasdef = false where attrelid = 'access.users'::regclass and attname = 'created_at'`,
    finds: [[other, 'column access.users.created_at', 'default: none']],
  },
  {
    title: 'a membership of the service in a group of somebody else, and what that group reaches',
    plant: `create role reporting; create role reports; grant reports to reporting; grant reporting to studio_api`,
    finds: [
      [other, 'role studio_api', 'member of reporting: may become it; this release: none'],
      [more, 'role reporting', 'member of reports'],
      [more, 'role reports'],
    ],
  },
  {
    title: 'an analyst’s login in a group besides',
    plant: `create role reporting; create role analyst_0123456789ab login connection limit 2 valid until '2100-01-01'
      in role studio_analyst, reporting`,
    finds: [[more, 'role analyst_0123456789ab', 'member of reporting']],
  },
  {
    title: 'a login that becomes an analyst by way of two others',
    plant: `create role one in role studio_analyst; create role two in role one; ${login} grant two to studio_test_offender`,
    finds: [[more, offender, 'member of two']],
  },
  {
    title: 'a membership granted twice, the second time with more',
    plant: `create role g superuser; grant pg_signal_backend to g with admin option; create role h in role pg_signal_backend;
      grant pg_signal_backend to studio_owner; set local role g;
      grant pg_signal_backend to studio_owner with admin option; reset role`,
    finds: [[other, 'role studio_owner', 'member of pg_signal_backend: may let others in']],
  },
  {
    title: 'SELECT on the TOAST of a table',
    plant: `do $$ begin execute format('grant select on %s to studio_analyst',
      (select reltoastrelid::regclass from pg_class where oid = 'app.items'::regclass)); end $$`,
    finds: [[more, 'TOAST of app.items', 'studio_analyst SELECT']],
  },
  {
    title: 'a rule of the audit that runs something else',
    plant: `create function public.run() returns text language plpgsql as $$ begin raise 'was run'; end $$;
      create or replace view audit.extended_statistics with (security_invoker = true) as
        select public.run() as rule, ''::text as level, '' collate "C" as object, '' collate "C" as finding, ''::text as why,
          '' collate "C" as remedy;
      grant execute on function public.run() to public; grant usage on schema public to public`,
    finds: [
      ['rules_not_asked', 'schema audit', 'view audit.extended_statistics'],
      [other, 'view audit.extended_statistics', 'definition'],
    ],
  },
  {
    title: 'the function of a rule with its caller’s rights',
    plant: 'alter function access.misdirected_analysts() security invoker',
    finds: [['rules_not_asked', 'schema audit', 'function access.misdirected_analysts()']],
  },
  {
    title: 'something of this release that is called an extension’s',
    plant: `create extension pg_trgm schema public; alter extension pg_trgm add function access.refuse_change()`,
    finds: [
      [more, 'extension pg_trgm', 'objects of its own'],
      [other, 'function access.refuse_change()', 'extension: pg_trgm; this release: none'],
    ],
  },
]
