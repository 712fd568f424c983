-- Begins each of the other queries: names roles as the reference does. The role that migrates and
-- the superuser that made the server have other names everywhere, so both are `administrator`,
-- unless $1 names the roles that may be. A role that really has this name, or `everybody`, is in
-- quotation marks; quote_ident quotes neither.
with service (name) as (
  values ('studio_owner'), ('studio_api'), ('studio_recorder'), ('studio_writer'), ('studio_console'), ('studio_graphql'),
    ('studio_analyst'), ('studio_auditor'), ('studio_backup')
), administrators (role) as (
  select r.oid
  from pg_roles r
  where ($1::text[] is null or r.rolname = any ($1::text[]))
    and (r.oid = 10::oid
     or (
       r.oid = (select n.nspowner from pg_namespace n where n.nspname = 'graphile_migrate')
       and (r.rolsuper or r.rolcreaterole)
       and r.rolname not in (select s.name from service s)
       and not exists (
         select
         from pg_auth_members m
         join pg_roles g on g.oid = m.roleid
         where m.member = r.oid and g.rolname in ('studio_analyst', 'studio_auditor') and not m.admin_option)))
), named (role, name) as materialized (
  select 0::oid, 'everybody'
  union all
  select r.oid, 
    case when r.oid in (select a.role from administrators a) then 'administrator'
      when r.rolname in ('administrator', 'everybody') then format('"%s"', r.rolname)
      else quote_ident(r.rolname) end
  from pg_roles r
), spaces (oid, name) as (
  select n.oid, quote_ident(n.nspname) from pg_namespace n
), passing (oid) as (
  -- Schemas of temporary objects, as the server makes them. Only their session can name an object.
  select n.oid from pg_namespace n
  where n.nspname ~ '^pg_(toast_)?temp_[0-9]+$' and n.nspowner = 10::oid and n.nspacl is null
), extended (class, object, extension) as materialized (
  select d.classid, d.objid, quote_ident(e.extname)
  from pg_depend d
  join pg_extension e on e.oid = d.refobjid
  where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
), relations (oid, kind, name, owner, acl, relkind) as (
  select
    c.oid,
    case c.relkind
      when 'r' then 'table' when 'p' then 'table' when 'v' then 'view' when 'm' then 'materialized view'
      when 'i' then 'index' when 'I' then 'index' when 'S' then 'sequence' when 'f' then 'foreign table'
      when 'c' then 'composite type' else 'relation' end,
    format('%s.%I', s.name, c.relname), c.relowner, c.relacl, c.relkind
  from pg_class c
  join spaces s on s.oid = c.relnamespace
  -- A temporary relation ends with its session; a TOAST table belongs to its table.
  where c.relkind <> 't'
    and not (c.relpersistence = 't' and c.relnamespace in (select p.oid from passing p))
    and not exists (
      select from pg_index i join pg_class t on t.oid = i.indrelid and t.relkind = 't' where i.indexrelid = c.oid)
)
