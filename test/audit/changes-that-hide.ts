import { byHand, type Change, inDatabase, login, more, other, overloaded } from './changes.ts'

const offender = 'role studio_test_spy'
const leak = (schema: string) =>
  `create function ${schema}.leak() returns bigint language sql security definer return 1`

/** These changes hide behind a name, a flag, a grantor, or something that the audit expects. */
export const changesThatHide: readonly Change[] = [
  // A schema that is called like one of temporary objects, with what is in it.
  [
    `${byHand} create schema evil; grant usage on schema evil to studio_analyst; ${leak('evil')};
      create table evil.copies as select * from app.items; alter schema evil rename to pg_temp_hidden`,
    [more, 'schema pg_temp_hidden', 'studio_analyst USAGE'],
    [more, 'function pg_temp_hidden.leak()', 'its owner'],
    [more, 'table pg_temp_hidden.copies'],
  ],
  // A schema that is renamed to one of temporary objects, with a number.
  [
    `${byHand} create schema evil; create table evil.copies as select * from app.items; ${leak('evil')};
      update pg_namespace set nspname = 'pg_temp_4242', nspowner = 10 where nspname = 'evil'`,
    [more, 'function pg_temp_4242.leak()'],
    [more, 'table pg_temp_4242.copies'],
  ],
  // A function and a view of a session, and the right to name them.
  [
    `${leak('pg_temp')}; create temp view items as select * from app.items;
      do $$ begin execute format('grant usage on schema %s to studio_analyst', pg_my_temp_schema()::regnamespace); end $$`,
    [more, 'schema pg_temp_', 'studio_analyst USAGE'],
    [more, 'function pg_temp_', 'its owner'],
    [more, 'view pg_temp_'],
  ],
  // A trigger, a rule and a policy on a table that has a namesake of another kind.
  [
    `create collation app.items (locale = 'C'); create trigger copy after insert on app.items for each row
        execute function app.touch(); create rule copy as on insert to app.items do also notify items;
      create policy less on app.items as restrictive using (true)`,
    [more, 'collation app.items'],
    [more, 'trigger copy on app.items'],
    [more, 'rule copy on app.items'],
    [more, 'policy less on app.items'],
  ],
  // A role that is called like an administrator.
  [
    `create role administrator; ${inDatabase('alter database %I owner to administrator')}`,
    [other, 'database', 'owner: "administrator"; this release: administrator'],
  ],
  // A role that is called like everybody.
  [
    'create role everybody; grant select on api_v1.items to everybody',
    [other, 'view api_v1.items', 'privileges of "everybody": SELECT; this release: none'],
  ],
  // An operator of the catalog that the questions would take.
  [
    `${byHand} create function public.no(oid, integer) returns boolean language sql immutable return false;
      create operator pg_catalog.>= (leftarg = oid, rightarg = integer, function = public.no); create schema other; ${leak('other')}`,
    [overloaded, 'operator >='],
    ['rules_not_asked', 'schema audit'],
    [more, 'function other.leak()'],
  ],
  // A function of the catalog that the questions would take.
  [
    `${byHand} create function pg_catalog.quote_ident(name) returns text language sql immutable return 'items'`,
    [overloaded, 'function quote_ident'],
  ],
  ...(
    [
      ['access.audit_log', 'relhastriggers = false', 'triggers'],
      ['app.items', 'relchecks = 0', 'checks'],
      ['app.items', 'relhasindex = false', 'indexes'],
    ] as const
  ).map(
    ([table, change, says]): Change => [
      `update pg_class set ${change} where oid = '${table}'::regclass`,
      [other, `table ${table}`, `switched off by hand: ${says}`],
    ],
  ),
  // A default that the catalog passes over.
  [
    `update pg_attribute set atthasdef = false where attrelid = 'access.users'::regclass and attname = 'created_at'`,
    [other, 'column access.users.created_at', 'default: none'],
  ],
  // A membership of the service in a group of somebody else, and what that group reaches.
  [
    `create role reporting; create role reports; grant reports to reporting; grant reporting to studio_api`,
    [other, 'role studio_api', 'member of reporting: may become it; this release: none'],
    [more, 'role reporting', 'member of reports'],
    [more, 'role reports'],
  ],
  // An analyst’s login in a group besides.
  [
    `create role reporting; create role analyst_0123456789ab login connection limit 2 valid until '2100-01-01'
      in role studio_analyst, reporting`,
    [more, 'role analyst_0123456789ab', 'member of reporting'],
  ],
  // A login that becomes an analyst by way of two others.
  [
    `create role one in role studio_analyst; create role two in role one; ${login} grant two to studio_test_spy`,
    [more, offender, 'member of two'],
  ],
  // A membership granted twice, the second time with more.
  [
    `create role g superuser; grant pg_signal_backend to g with admin option; create role h in role pg_signal_backend;
      grant pg_signal_backend to studio_owner; set local role g;
      grant pg_signal_backend to studio_owner with admin option; reset role`,
    [other, 'role studio_owner', 'member of pg_signal_backend: may let others in'],
  ],
  // SELECT on the TOAST of a table.
  [
    `do $$ begin execute format('grant select on %s to studio_analyst',
      (select reltoastrelid::regclass from pg_class where oid = 'app.items'::regclass)); end $$`,
    [more, 'TOAST of app.items', 'studio_analyst SELECT'],
  ],
  // A rule of the audit that runs something else.
  [
    `create function public.run() returns text language plpgsql as $$ begin raise 'was run'; end $$;
      create or replace view audit.extended_statistics with (security_invoker = true) as
        select public.run() as rule, ''::text as level, '' collate "C" as object, '' collate "C" as finding, ''::text as why,
          '' collate "C" as remedy;
      grant execute on function public.run() to public; grant usage on schema public to public`,
    ['rules_not_asked', 'schema audit', 'view audit.extended_statistics'],
    [other, 'view audit.extended_statistics', 'definition'],
  ],
  // The function of a rule with its caller’s rights.
  [
    'alter function access.misdirected_analysts() security invoker',
    ['rules_not_asked', 'schema audit', 'function access.misdirected_analysts()'],
  ],
  // Something of this release that is called an extension’s.
  [
    `create extension pg_trgm schema public; alter extension pg_trgm add function access.refuse_change()`,
    [more, 'extension pg_trgm', 'objects of its own'],
    [other, 'function access.refuse_change()', 'extension: pg_trgm; this release: none'],
  ],
]
