import { altered, type Mutation } from '../mutation.ts'

const watchAnalysts = `pg_get_functiondef('access.watch_analysts'::regproc)`

/** Opens a function that is closed, and takes it off the list: every copy of the template gets the grants again. */
const open = (from: string, to: string, signature: string) =>
  `${altered(
    `'create or replace view audit.closed_functions with (security_invoker = true) as '
      || pg_get_viewdef('audit.closed_functions'::regclass)`,
    from,
    to,
  )};
  grant execute on function pg_catalog.${signature} to public`

export const analysts: readonly Mutation[] = [
  {
    name: 'let the watchdog spare who turned the timeout off',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.statement > s.statement_limit then', 'when false then'),
  },
  {
    name: 'let the watchdog end nobody who does not see a cancel',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.statement > s.statement_limit + least', 'when false and s.statement > least'),
  },
  {
    name: 'let the watchdog spare a transaction that stays idle',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.idle > s.statement_limit then', 'when false then'),
  },
  {
    name: 'let the watchdog spare a transaction that has an id',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.holds_id and', 'when false and'),
  },
  {
    name: 'let the watchdog end others than analysts',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, `and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')`, ''),
  },
  {
    name: 'start no watchdog',
    tests: ['test/processes/analysts.test.ts'],
    patch: {
      file: 'src/process/jobs.ts',
      from: 'watchAnalysts(() => endOverdue(recording), log),',
      to: '',
    },
  },
  {
    name: 'keep the mapping of a dropped login',
    tests: ['test/analysts/cutting.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.drop_analyst'::regproc)`,
      'delete from access.analyst_logins l where l.login = known;',
      '',
    ),
  },
  {
    name: 'keep the sessions of a dropped login',
    tests: ['test/analysts/cutting.test.ts', 'test/cli/analyst.test.ts'],
    patch: {
      file: 'src/apps/analysts/logins.ts',
      from: 'select access.end_sessions($1::oid) as ended',
      to: 'select 0 + 0 * $1::bigint as ended',
    },
  },
  {
    name: 'keep the login of a member who has left',
    tests: ['test/analysts/cutting.test.ts'],
    sql: 'alter table access.analyst_logins drop constraint analyst_logins_member',
  },
  {
    name: "leave temporary files of analysts' unlimited",
    tests: ['test/analysts/login.test.ts'],
    sql: altered(`pg_get_functiondef('access.create_analyst'::regproc)`, `'1GB'`, `'-1'`),
  },
  {
    name: 'make a login without a connection limit',
    tests: ['test/analysts/login.test.ts', 'test/analysts/crowd.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.create_analyst'::regproc)`,
      'connection limit %s ',
      'connection limit -%s ',
    ),
  },
  {
    name: 'let analysts have every connection of the server',
    tests: ['test/analysts/login.test.ts', 'test/analysts/crowd.test.ts'],
    sql: altered(`pg_get_functiondef('access.create_analyst'::regproc)`, '::integer / 2', '::integer * 2'),
  },
  {
    name: 'let analysts see the list of sessions',
    tests: ['test/analysts/attacks.test.ts'],
    sql: open('(?!live_tuples$)', '(?!live_tuples$|activity$)', 'pg_stat_get_activity(integer)'),
  },
  {
    name: 'let everybody see how often an index was used',
    tests: ['test/analysts/activity.test.ts'],
    sql: open('(?!live_tuples$)', '(?!live_tuples$|numscans$)', 'pg_stat_get_numscans(oid)'),
  },
  {
    name: 'let everybody take a transaction id',
    tests: ['test/analysts/activity.test.ts'],
    sql: open('^(pg_current_xact_id|', '^(', 'pg_current_xact_id()'),
  },
  {
    name: "forget an analyst's statements",
    tests: ['test/analysts/login.test.ts', 'test/processes/analysts.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.create_analyst'::regproc)`,
      `('log_statement', 'all')`,
      `('log_statement', 'none')`,
    ),
  },
  {
    name: 'hide the locations of a lapsed plan from analysts',
    tests: ['test/analysts/plan.test.ts'],
    sql: altered(
      `pg_get_functiondef('app.shows_all_locations'::regproc)`,
      `(s.plan = 'studio'::text)`,
      `(access.entitled_plan(s.*) = 'studio'::text)`,
    ),
  },
]
