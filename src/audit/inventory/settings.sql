-- Settings of the database, of all roles together and of the server that decide whose rows or code
-- a session meets. Omits names, and defaults that are a matter of taste.
select
  'database' as kind, ''::text as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'is a template', case when d.datistemplate then 'yes' end,
    'allows connections', case when not d.datallowconn then 'no' end,
    'connections', nullif(d.datconnlimit, -1)::text
  )) || coalesce((
    select jsonb_object_agg('setting ' || split_part(c.line, '=', 1), substr(c.line, strpos(c.line, '=') + 1))
    from pg_db_role_setting s cross join lateral unnest(s.setconfig) as c (line)
    where s.setdatabase = d.oid and s.setrole = 0), '{}') as facts
from pg_database d
join named o on o.role = d.datdba
where d.datname = current_database()
union all
select
  'setting', format('%s of every role', split_part(c.line, '=', 1)),
  jsonb_build_object('value', substr(c.line, strpos(c.line, '=') + 1))
from pg_db_role_setting s
cross join lateral unnest(s.setconfig) as c (line)
where s.setdatabase = 0 and s.setrole = 0
