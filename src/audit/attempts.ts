import type { Transaction } from '../database/session.ts'
import { requireViews } from './findings.ts'
import type { Installed, NotInstalled } from './scratch.ts'
import { forbidden, otherRoles } from './statements.ts'

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
     where r.rolname ~ '^(pg_.*|studio_(api|recorder|writer|console|graphql|analyst|auditor|owner))$'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}
