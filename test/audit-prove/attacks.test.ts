import { describe, expect, it, vi } from 'vitest'
import { withTemporaryLogin } from '../../src/audit/temporary-login.ts'
import { useCast } from '../support/cast-database.ts'
import { asAdmin, type TestDatabase } from '../support/server.ts'
import { failed, offended } from './support.ts'

const stage = useCast()

vi.setConfig({ testTimeout: 180_000 })

describe('a proof never runs code that an attacker left behind:', () => {
  it.each([
    'studio_passing_;alter role plotter superuser;--',
    'studio_passing_"; alter role plotter superuser; --',
    'studio_passing_0123456789AB',
    'studio_passing_0123456789ab,plotter',
  ])('a role called %s is no login of a proof, and its name no SQL', async (name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`
    await offended(
      stage.database,
      `create role plotter createrole; set role plotter; create role ${quoted} valid until '2020-01-01'`,
      `drop role if exists ${quoted}, plotter`,
      async () => {
        await withTemporaryLogin(stage.database.adminUrl, 'studio_auditor', async () => undefined)
        const { rows } = await asAdmin(stage.database, (admin) =>
          admin.query('select rolname, rolsuper from pg_roles where rolname in ($1, $2) order by 1', ['plotter', name]),
        )
        expect(rows).toEqual(['plotter', name].map((rolname) => ({ rolname, rolsuper: false })))
      },
    )
  })

  it('functions and operators that come before PostgreSQL’s own on the search path', async () => {
    await offended(stage.database, trap, 'drop schema trap cascade', async () => {
      const adminUrl = new URL(stage.database.adminUrl)
      adminUrl.searchParams.set('options', '-c search_path=trap,pg_catalog')
      const trapped: TestDatabase = { ...stage.database, adminUrl: adminUrl.href }
      // Without this function, the trap would not catch anything.
      await expect(asAdmin(trapped, (admin) => admin.query(`select 'a'::text = 'a'::text`))).rejects.toThrow(
        'the trap was sprung',
      )
      expect(await failed(trapped, 'analyst', 'auditor')).toBe('')
    })
  })
})

/** A schema with namesakes of operators and functions, each of which only fails. */
const trap = `create schema trap;
  grant usage on schema trap to studio_owner, studio_auditor;
  do $do$
  declare each record; number int := 0;
  begin
    for each in
      select o.oprname, o.oprleft::regtype as left, o.oprright::regtype as right from pg_operator o
      where o.oprnamespace = 'pg_catalog'::regnamespace and o.oprresult = 'boolean'::regtype
        and array[o.oprleft, o.oprright] <@ array['text', 'name', 'oid', '"char"', 'uuid', 'int2', 'int4', 'int8',
          'timestamptz', 'oidvector', 'anyarray']::regtype[]::oid[]
    loop
      number := number + 1;
      execute format('create function trap.of_%s(%s, %s) returns boolean language plpgsql as $$
        begin raise exception ''the trap was sprung: operator %s(%s, %s)''; end $$',
        number, each.left, each.right, replace(each.oprname, '%', '%%'), each.left, each.right);
      execute format('create operator trap.%s (leftarg = %s, rightarg = %s, function = trap.of_%s)',
        each.oprname, each.left, each.right, number);
    end loop;
    for each in
      select p.proname, pg_get_function_identity_arguments(p.oid) as arguments, p.prorettype::regtype as type from pg_proc p
      where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f' and not p.proretset and p.provariadic = 0
        and p.proname in ('now', 'starts_with', 'array_to_string', 'lower', 'format', 'quote_ident', 'make_interval',
          'evenly', 'length', 'replace', 'to_jsonb')
    loop
      execute format('create function trap.%I(%s) returns %s language plpgsql as $$
        begin raise exception ''the trap was sprung: function %s''; end $$',
        each.proname, each.arguments, each.type, each.proname);
    end loop;
    create function trap.concat_ws(text, variadic text[]) returns text language plpgsql as
      $$ begin raise exception 'the trap was sprung: function concat_ws'; end $$;
  end $do$`
