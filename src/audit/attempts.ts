import type { Transaction } from '../database/session.ts'
import { requireViews } from './findings.ts'
import type { Installed, NotInstalled } from './scratch.ts'

/** A statement, after settings, that must be refused (`denied`) or find no row (`empty`). */
export type Attempt = { before: string[]; statement: string; expected: 'denied' | 'empty' }

type Relation = { name: string; isTable: boolean; columns: string[] }
type Allowed = { role: string; privilege: string; relation: string; column: string }

/** The objects and roles from which attempts are made. */
export type Targets = { relations: Relation[]; allowed: Allowed[]; definitions: string[]; roles: string[] }

/** Reads the targets as an auditor. @throws ViewsNotInstalled, or what the database throws */
export async function readTargets(transaction: Transaction, installed: Installed | NotInstalled): Promise<Targets> {
  await requireViews(transaction, installed)
  const relations = await transaction.query<Relation>(
    `select pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.relkind in ('r', 'p') as "isTable",
       pg_catalog.array_agg(pg_catalog.quote_ident(a.attname) order by a.attnum) as columns
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p', 'v', 'm', 'f')
       and (n.oid in (select s.schema from audit.covered_schemas s) or n.nspname = 'graphile_migrate')
       and (n.nspname <> 'audit' or c.relname = 'findings')
     group by 1, 2 order by 1`,
  )
  const allowed = await transaction.query<Allowed>(
    'select role, privilege, relation, pg_catalog.quote_ident(column_name) as column from audit.allowed_privileges',
  )
  return {
    relations,
    allowed,
    definitions: await readDefinitions(transaction),
    roles: await readRoles(transaction),
  }
}

/** Values with which a session could claim a studio; none is a studio's id. */
const noStudios = ['', `'; drop table app.items; --`, '00000000-0000-4000-8000-000000000000']

/** A session without a studio must get no row from these reads, or a refusal. `studios` are real ids
 * to claim. */
export function attemptsOf(role: string, targets: Targets, studios: readonly string[]): Attempt[] {
  return [...emptyFor(role, targets, studios), ...refusedTo(role, targets)]
}

/** A login without a studio must get no row from these reads, even if it sets another studio's
 * id. */
export function emptyFor(role: string, targets: Targets, studios: readonly string[]): Attempt[] {
  const forged = [...noStudios, ...studios].map((studio) => [`set local studio.id = ${literal(studio)}`])
  const seen = targets.relations.filter(({ name }) => !name.startsWith('audit.'))
  return [[], ...forged].flatMap((before) =>
    seen.flatMap((relation) => readable(relation, allowedOf(role, targets, 'SELECT', relation), before)),
  )
}

/** Attempts that must fail for a login of this role, with or without a studio. */
export function refusedTo(role: string, targets: Targets): Attempt[] {
  const may = (privilege: string, relation: Relation) => allowedOf(role, targets, privilege, relation)
  const mayDelete = (relation: Relation) =>
    targets.allowed.some((a) => a.role === role && a.privilege === 'DELETE' && a.relation === relation.name)
  return [
    ...targets.relations.flatMap((relation) => [
      ...readings(relation, may('SELECT', relation)),
      ...writings(relation, may('INSERT', relation), may('UPDATE', relation), mayDelete(relation)),
    ]),
    ...targets.definitions.map(denied),
    ...targets.roles.flatMap((other) => (other === role ? [] : denied(`set local role ${other}`))),
    ...[...forbidden, ...otherRoles.flatMap((other) => (other.role === role ? [] : other.statement))].map(denied),
  ]
}

/** The columns for which a role may have a privilege on a relation. */
function allowedOf(role: string, targets: Targets, privilege: string, relation: Relation): string[] {
  return relation.columns.filter((column) =>
    targets.allowed.some(
      (allowed) =>
        allowed.role === role &&
        allowed.privilege === privilege &&
        allowed.relation === relation.name &&
        [column, '"*"'].includes(allowed.column),
    ),
  )
}

/** The columns that may not be read. */
function readings({ name, columns }: Relation, allowed: string[]): Attempt[] {
  if (allowed.length === 0) return [denied(`select from ${name}`)]
  if (allowed.length === columns.length) return []
  const hidden = columns.filter((column) => !allowed.includes(column))
  return [denied(`select * from ${name}`), ...hidden.map((column) => denied(`select ${column} from ${name}`))]
}

/** Affects no row even where allowed: PostgreSQL checks the privilege before the first row. */
function writings({ name, isTable, columns }: Relation, inserts: string[], updates: string[], deletes: boolean) {
  const rest = (allowed: string[]) => {
    const others = columns.filter((column) => !allowed.includes(column))
    return allowed.length === 0 ? others.slice(0, 1) : others
  }
  return [
    ...rest(inserts).map((column) => `insert into ${name} (${column}) select null where false`),
    ...rest(updates).map((column) => `update ${name} set ${column} = null where false`),
    ...(deletes ? [] : [`delete from ${name} where false`]),
    ...(isTable ? [`truncate ${name}`] : []),
  ].map(denied)
}

/** Readable relations must be empty without a studio, or with another studio's id. */
function readable({ name }: Relation, allowed: string[], before: string[]): Attempt[] {
  if (allowed.length === 0) return []
  return [{ before, statement: `select ${allowed.join(', ')} from ${name} limit 1`, expected: 'empty' }]
}

function denied(statement: string): Attempt {
  return { before: [], statement, expected: 'denied' }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Statements that open each object of the catalog. No login may run one. */
async function readDefinitions(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ statement: string }>(
    `with schemas as (
       select n.oid, n.nspname from pg_catalog.pg_namespace n
       where n.nspname !~ '^pg_|^information_schema$'
     ), relations as (
       select c.oid, c.relkind, pg_catalog.format('%I.%I', s.nspname, c.relname) as name
       from pg_catalog.pg_class c join schemas s on s.oid = c.relnamespace
     )
     select pg_catalog.format(change, r.name) as statement
     from relations r
     cross join (values
       ('alter table %s disable row level security'), ('alter table %s no force row level security'),
       ('alter table %s disable trigger all'), ('create policy mine on %s using (true)')
     ) as c (change)
     where r.relkind in ('r', 'p')
     union all
     select pg_catalog.format('alter policy %I on %s using (true)', p.polname, r.name)
     from pg_catalog.pg_policy p join relations r on r.oid = p.polrelid
     union all
     select pg_catalog.format('alter view %s set (security_invoker = false)', r.name) from relations r where r.relkind = 'v'
     union all
     select pg_catalog.format('alter routine %I.%I(%s) owner to current_user', s.nspname, p.proname,
       pg_catalog.pg_get_function_identity_arguments(p.oid))
     from pg_catalog.pg_proc p join schemas s on s.oid = p.pronamespace
     where p.prokind <> 'a'
     union all
     select pg_catalog.format('create table %I.mine ()', s.nspname) from schemas s
     order by 1`,
  )
  return rows.map(({ statement }) => statement)
}

/** The roles that a login could try to become: the service's, their owner, and PostgreSQL's. */
async function readRoles(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ name: string }>(
    `select pg_catalog.quote_ident(r.rolname) as name from pg_catalog.pg_roles r
     where r.rolname ~ '^(pg_.*|studio_(api|recorder|writer|console|graphql|analyst|auditor|backup|owner))$'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

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
const otherRoles = ['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'].map(
  (role) => ({ role, statement: `set local session authorization ${role}` }),
)
