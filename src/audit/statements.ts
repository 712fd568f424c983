/** No exposed role may run these statements. A rollback undoes everything they could do; what it
 * could not undo is left to the rules of the audit. */

/** Statements that make, change, drop or give away an object or role. */
const definitions = [
  'create schema mine',
  'create temporary table mine ()',
  'create temporary view mine as select 1',
  'create function pg_temp.mine() returns int language sql return 1',
  `create function public.mine() returns int language plpgsql as 'begin return 1; end'`,
  'create or replace view api_v1.items as select 1 as id',
  'create publication mine for all tables',
  'create role mine superuser in role studio_owner',
  'create trigger mine before insert on app.items for each row execute function app.touch()',
  'create index mine on app.items (name)',
  'create statistics mine on name, model from app.items',
  'alter table app.items alter column name set statistics 100',
  'alter view api_v1.items owner to current_user',
  'alter function access.current_studio_id() set search_path = public',
  'alter schema app owner to current_user',
  'alter role current_user superuser',
  'alter role current_user bypassrls',
  'alter role current_user createrole',
  'alter role current_user connection limit -1',
  `alter role current_user set temp_file_limit = -1`,
  'alter default privileges for role studio_owner grant select on tables to public',
  'drop policy "A studio\'s items are seen and written by that studio alone" on app.items',
  'drop view api_v1.items',
  'drop function access.current_studio_id() cascade',
  'reassign owned by studio_owner to current_user',
  'grant studio_owner to current_user',
  'grant pg_read_all_data to current_user',
]

/** Statements that lock, run code, store large objects, fill the disk, become another role, or
 * read the server's tables and files. */
const powers = [
  'lock table api_v1.items in access exclusive mode nowait',
  `do 'begin null; end'`,
  `do language sql 'select 1'`,
  'select lo_create(0)',
  `select lo_from_bytea(0, 'mine')`,
  'select pg_advisory_xact_lock(1)',
  'select pg_try_advisory_xact_lock_shared(1)',
  'select pg_export_snapshot()',
  `select pg_logical_emit_message(true, 'mine', 'payload')`,
  'set local session authorization studio_owner',
  'set local session_replication_role = replica',
  `set local log_min_messages = 'log'`,
  'set local temp_file_limit = -1',
  `select pg_ls_dir('.')`,
  `select pg_read_file('postgresql.conf')`,
  'select * from pg_catalog.pg_authid',
  'select * from pg_catalog.pg_statistic',
]

/** Calls of functions that decide who comes in, or that read any studio's rows. */
const functions = [
  `access.create_studio('Mine', 'me@example.com', 'Me')`,
  `access.add_member(null, 'me@example.com', 'Me', 'owner')`,
  'access.remove_member(null, null)',
  `access.set_subscription(null, 'studio', 'active')`,
  `access.issue_token(null, null, 'mine', null, 'abcd', '', '')`,
  'access.revoke_token(null, null, null)',
  'access.list_tokens(null)',
  'access.token_activity(null, null)',
  `access.find_studio('x')`,
  `access.find_user('x')`,
  'access.owner_of(null)',
  'access.enter_studio(null)',
  'access.studio_today(null)',
  'app.add_data_version(null)',
  'valuation.project(null)',
].map((call) => `select ${call}`)

export const forbidden: readonly string[] = [...definitions, ...powers, ...functions]

/** No role may run these, because they take another role's rights. */
export const otherRoles = ['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'].map(
  (role) => ({ role, statement: `set local session authorization ${role}` }),
)
