-- Grants each reader of a view the columns that the view reads, and no other column of a table.
do $$
declare
  g record;
begin
  for g in
    select pair.role, pair.relation, wanted.columns
    from (
      select r.name as role, c.oid as table_oid, pg_catalog.format('%I.%I', s.name, c.relname) as relation
      from (values ('studio_api'), ('studio_graphql'), ('studio_analyst')) as r (name)
      cross join audit.covered_schemas s
      join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p')
    ) as pair
    cross join lateral (
      select pg_catalog.string_agg(distinct pg_catalog.quote_ident(v.column_name), ', ') as columns
      from audit.view_columns v
      where v.relation = pair.relation and pg_catalog.has_table_privilege(pair.role, v.view, 'SELECT')
    ) as wanted
    cross join lateral (
      select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by pg_catalog.quote_ident(a.attname)) as columns
      from pg_catalog.pg_attribute a
      where a.attrelid = pair.table_oid and a.attnum > 0 and not a.attisdropped
        and pg_catalog.has_column_privilege(pair.role, a.attrelid, a.attnum, 'SELECT')
    ) as held
    where wanted.columns is distinct from held.columns
  loop
    execute pg_catalog.format('revoke all on %s from %I', g.relation, g.role);
    if g.columns is not null then
      execute pg_catalog.format('grant select (%s) on %s to %I', g.columns, g.relation, g.role);
    end if;
  end loop;
end
$$;
