import { altered, type Guard, inFunction } from '../guard.ts'

/** Opens a function that is closed, and takes it off the list: every copy of the template gets the grants again. */
const open = (from: string, to: string, signature: string) =>
  `${altered(
    `'create or replace view audit.closed_functions with (security_invoker = true) as '
      || pg_get_viewdef('audit.closed_functions'::regclass)`,
    from,
    to,
  )};
  grant execute on function pg_catalog.${signature} to public`

/** What keeps closed values, names of people, analysts and the catalog to one studio, and what the audit says of it. */
export const reach: Guard[] = [
  [
    'show closed values of every studio',
    'isolation/forged-settings isolation/no-context',
    `alter policy "A studio's closed values are seen and written by that studio alone" on app.closed_values
        using (true);
      alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  ],
  [
    'show closings of every studio',
    'isolation/audit',
    `alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  ],
  [
    'show former market values of every studio',
    'isolation/audit',
    `alter policy "A studio's former market values are seen and written by it alone" on app.market_value_history
      using (true)`,
  ],
  [
    'let a view of valuation read with its owner’s rights',
    'isolation/audit',
    'alter view api_v1.corrections set (security_invoker = false)',
  ],
  [
    'show analysts the inventory of whatever studio on a day',
    'isolation/forged-settings',
    `${inFunction(
      'valuation.inventory',
      's.id = ( SELECT access.current_studio_id() AS current_studio_id)',
      `(s.id = access.current_studio_id() or session_user ~ '_analyst_')`,
    )}
      alter policy "A studio's items are seen and written by that studio alone" on app.items
        using (studio_id = access.current_studio_id()
          or (session_user ~ '_analyst_' and pg_has_role(current_user, 'studio_owner', 'usage')))`,
  ],
  [
    'leave the session of the studio that was closed open',
    'sql/valuation/closing sql/valuation/closed',
    inFunction(
      'valuation.close_month',
      `access.enter_studio(nullif(outer_studio, '')::uuid)`,
      'access.studio_today(null)',
    ),
  ],
  [
    'name people in the audit log as other studios do',
    'isolation/names-of-people',
    inFunction('console.list_audit_log', 'concerned.studio_id = l.studio_id and', ''),
  ],
  [
    'name the issuers of tokens as other studios do',
    'isolation/names-of-people',
    inFunction('access.list_tokens', '(issuing.studio_id = t.studio_id)', 'true'),
  ],
  [
    'name members by what the first studio typed',
    'isolation/names-of-people',
    inFunction(
      'access.add_member',
      `coalesce(add_member.name, '')`,
      `coalesce((select m.name from access.members m where m.user_id = person limit 1), add_member.name, '')`,
    ),
  ],
  [
    "open an analyst's session to whoever is named",
    'graphql/isolation sql/access/open_analyst_session',
    inFunction('access.open_analyst_session', 'u.id = open_analyst_session.user_id', 'true'),
  ],
  [
    "leave an analyst's transaction open on the connection",
    'graphql/isolation',
    { file: 'src/apps/graphql/analyst-transaction.ts', from: `    await run('commit')\n`, to: '' },
  ],
  [
    'let GraphQL have whatever the database has',
    'graphql/schema',
    { file: 'src/apps/graphql/tags.ts', from: `tags: { behavior: '-*' }`, to: 'tags: {}' },
  ],
  [
    "open a studio that is not an analyst's login's",
    'graphql/login-identity',
    inFunction('access.open_login_session', 'l.studio_id = open_login_session.studio_id', 'true'),
  ],
  [
    'let the watchdog end others than analysts',
    'analysts/watchdog',
    inFunction('access.watch_analysts', `and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')`, ''),
  ],
  [
    'keep the mapping of a dropped login',
    'analysts/cutting',
    inFunction('access.drop_analyst', 'delete from access.analyst_logins l where l.login = known;', ''),
  ],
  [
    'keep the login of a member who has left',
    'analysts/cutting',
    'alter table access.analyst_logins drop constraint analyst_logins_member',
  ],
  [
    'let analysts see the list of sessions',
    'analysts/attacks',
    open('(?!live_tuples$)', '(?!live_tuples$|activity$)', 'pg_stat_get_activity(integer)'),
  ],
  [
    'let everybody see how often an index was used',
    'analysts/activity',
    open('(?!live_tuples$)', '(?!live_tuples$|numscans$)', 'pg_stat_get_numscans(oid)'),
  ],
  [
    'let everybody take a transaction id',
    'analysts/activity',
    open('^(pg_current_xact_id|', '^(', 'pg_current_xact_id()'),
  ],
  [
    'let a rule of the audit find nothing',
    'audit/rules',
    altered(
      `pg_get_viewdef('audit.wrong_owner'::regclass)`,
      `(r.rolname <> 'studio_owner'::name)`,
      'false',
      'create or replace view audit.wrong_owner with (security_invoker = true) as ',
    ),
  ],
  [
    'leave a rule out of the findings',
    'audit/rules',
    altered(
      `pg_get_viewdef('audit.findings'::regclass)`,
      'FROM audit.login_without_limits',
      'FROM audit.usage_on_app login_without_limits',
      'create or replace view audit.findings with (security_invoker = true) as ',
    ),
  ],
  [
    'leave an analyst’s mapping uncompared with its log',
    'audit/rules',
    inFunction('access.misdirected_analysts', 'g.studio_id <> l.studio_id', 'false'),
  ],
  [
    'let an analyst be a studio by naming it, under the proof',
    'cli/audit-prove',
    inFunction('access.current_studio_id', `if session_user in (`, `if true or session_user in (`),
  ],
  [
    'grant a role a column that the matrix does not have',
    'gates/matrix',
    'grant select (external_key) on app.items to studio_graphql',
  ],
  [
    'drop a superuser who was mapped by mistake',
    'analysts/cutting',
    inFunction('access.known_analyst', 'r.rolsuper or ', ''),
  ],
  [
    'drop who is no member of studio_analyst and was mapped by mistake',
    'analysts/cutting',
    inFunction('access.known_analyst', ` or not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')`, ''),
  ],
]
