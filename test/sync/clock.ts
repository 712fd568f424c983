import { type TestDatabase, withClient } from '../support/server.ts'

/** A clock that moves as a server's does: at once for all sessions, and sometimes back. */
export type Clock = {
  /** Moves the clock by so many milliseconds. */
  move(milliseconds: number): Promise<void>
  /** The time by it, in milliseconds since 1970. */
  now(): number
  /** The latest time that it has shown. */
  latest(): number
}

/** clock_timestamp() is moved by a sequence, seen at once; now() by a table, seen as it was
 * when the transaction began. */
export async function installClock(database: TestDatabase): Promise<Clock> {
  await withClient(database.adminUrl, (admin) => admin.query(install))
  let ahead = 0
  let latest = 0
  const now = () => Date.now() + ahead
  return {
    now,
    latest: () => Math.max(latest, now()),
    async move(milliseconds) {
      latest = Math.max(latest, now())
      ahead += milliseconds
      const steps = [
        `select setval('tests.clock_ahead', ${ahead})`,
        `update tests.clock set ahead = ${ahead} * interval '1 millisecond'`,
      ]
      await withClient(database.adminUrl, async (admin) => {
        for (const step of steps) await admin.query(step)
      })
    },
  }
}

const install = `
  create schema tests;
  grant usage on schema tests to public;
  create sequence tests.clock_ahead minvalue -9000000000000000;
  select setval('tests.clock_ahead', 0);
  create table tests.clock (ahead interval not null);
  insert into tests.clock values ('0');
  grant select on tests.clock_ahead, tests.clock to public;

  create function tests.clock_timestamp() returns timestamptz language sql volatile
  return pg_catalog.clock_timestamp() + (select last_value * interval '1 millisecond' from tests.clock_ahead);

  create or replace function access.clock() returns timestamptz language sql stable
  return pg_catalog.now() + (select ahead from tests.clock);

  do $do$
  declare
    replaced record;
  begin
    for replaced in
      select * from (values
        (pg_get_functiondef('app.stamp'::regproc), 'pg_catalog.clock_timestamp()', 'tests.clock_timestamp()'),
        (pg_get_functiondef('access.heartbeat'::regproc), 'pg_catalog.clock_timestamp()', 'tests.clock_timestamp()'),
        ('create or replace view access.current_watermark with (security_invoker = true) as '
          || pg_get_viewdef('access.current_watermark'::regclass), 'now()', 'access.clock()'),
        -- A transaction whose snapshot is of before a move is to have the day of its stamp, as it has by the machine's clock.
        (pg_get_functiondef('app.schedule_policies'::regproc), 'pg_catalog.clock_timestamp() - pg_catalog.now()',
          'tests.clock_timestamp() - access.clock()')) as r (definition, from_text, to_text)
    loop
      if strpos(replaced.definition, replaced.from_text) = 0 then
        raise exception 'nothing reads %: %', replaced.from_text, replaced.definition;
      end if;
      execute replace(replaced.definition, replaced.from_text, replaced.to_text);
    end loop;
  end $do$;`
