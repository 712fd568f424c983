/** The tables a login could want to write; without studio_id, the column that an update takes. */
const tables: Record<string, string> = {
  'app.studios': 'id',
  'app.categories': 'name',
  ...Object.fromEntries(
    [
      ...['app.locations', 'app.items', 'app.item_photos', 'app.market_values', 'app.item_valuations'],
      ...['app.depreciation_changes', 'app.maintenance_records', 'app.policies', 'app.policy_assignments'],
      ...['app.item_counts', 'app.maintenance_counts', 'app.data_versions', 'app.removals', 'access.members'],
      ...['access.subscriptions', 'access.tokens', 'access.request_activity', 'access.audit_log'],
      ...['access.analyst_log', 'access.analyst_logins'],
    ].map((table) => [table, 'studio_id']),
  ),
  'access.users': 'id',
  'graphile_migrate.migrations': 'filename',
}

/** Statements that insert, change, lock or remove a row. */
export const writes = [
  ...Object.entries(tables).flatMap(([table, column]) => [
    `insert into ${table} (${column}) values (null)`,
    `insert into ${table} (${column}) values (null) on conflict do nothing`,
    `update ${table} set ${column} = null`,
    `delete from ${table}`,
    `truncate ${table} cascade`,
    `merge into ${table} t using (select 1) s on true when matched then delete`,
    `copy ${table} from stdin`,
  ]),
  // Nobody can write to the other views, because they read more than one table.
  ...['api_v1.locations', 'api_v1.maintenance', 'api_v1.policies'].flatMap((view) => [
    `insert into ${view} (id) values (null)`,
    `update ${view} set id = null`,
    `delete from ${view}`,
  ]),
  `with gone as (delete from app.items returning *) select count(*) from gone`,
  'select * from api_v1.items for update',
  'select * from api_v1.items for key share',
  `select * from app.items for share`,
]

/** Statements that nobody may run, besides those that the audit's proof tries (src/audit/attempts.ts). */
export const others = [
  ...['app', 'access', 'valuation', 'api_v1', 'service', 'audit', 'public', 'graphile_migrate'].map(
    (schema) => `create table ${schema}.mine ()`,
  ),
  'select 1 as one into temporary mine',
  'create sequence public.mine',
  'create type public.mine as (one int)',
  `create event trigger mine on ddl_command_start execute function app.touch()`,
  'alter table app.items disable trigger all',
  'alter table app.items disable row level security',
  'alter table app.items no force row level security',
  'create policy mine on app.items using (true)',
  'alter view api_v1.items reset (security_invoker)',
  `alter role studio_owner login password 'mine'`,
  'drop table app.items cascade',
  'drop owned by studio_owner',
  'comment on table app.items is null',
  ...['access share', 'row share', 'share', 'access exclusive'].flatMap((mode) => [
    `lock table app.items in ${mode} mode`,
    `lock table api_v1.items in ${mode} mode`,
  ]),
  `copy (select 1) to '/tmp/mine'`,
  `copy pg_catalog.pg_class from program 'id'`,
  `select lo_import('/etc/passwd')`,
  `select lo_export(1, '/tmp/mine')`,
  'select lo_create(0)',
  `select pg_logical_emit_message(false, 'mine', 'payload')`,
  'select pg_export_snapshot()',
  'select * from pg_stat_activity',
  'set role studio_owner',
  'set role studio_writer',
  'select pg_reload_conf()',
  'select pg_stat_reset()',
  'checkpoint',
  `select access.create_analyst(null, null, 'SCRAM-SHA-256$1:', 'infinity', 1, '1 s')`,
  `select access.drop_analyst('x')`,
  'select access.end_sessions(10)',
]

/** These run in no transaction. */
export const alone = [
  'create database mine',
  `alter system set row_security = 'off'`,
  `create tablespace mine location '/tmp'`,
  'drop database template0',
  'reindex table app.items',
]

/** A role with a privilege may say these statements, but not run them. */
export const gifts = [
  'grant select on app.policies to public',
  'grant select on api_v1.items to public',
  'grant select (name) on app.items to public',
  'grant insert (name) on app.items to studio_analyst',
  'grant usage on schema app to public',
  'grant usage on schema api_v1 to public',
  'grant execute on function access.current_studio_id() to public',
  'revoke all on app.items from studio_owner, studio_writer',
  'revoke all on all tables in schema api_v1 from studio_api',
]
