import type { Transaction } from '../../database/session.ts'

/**
 * How each object that there is would be opened, from the catalog: whatever a table, policy, view, routine or schema is
 * called and whenever it was added, nobody who can log in may change it.
 */
export async function readDefinitions(transaction: Transaction): Promise<string[]> {
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

/** The roles that a login could try to become: the service's, their owner, and PostgreSQL's own. */
export async function readRoles(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ name: string }>(
    `select pg_catalog.quote_ident(r.rolname) as name from pg_catalog.pg_roles r
     where r.rolname ~ '^(pg_.*|studio_(api|recorder|writer|console|graphql|analyst|auditor|owner))$'
     order by 1`,
  )
  return rows.map(({ name }) => name)
}
