-- Permissive policies that accept a row by anything but its studio. Compares the expression as the
-- server prints it, and the functions it depends on, so functions of the same name do not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'Only a policy that compares studio_id with the session''s studio keeps other studios'' rows out.' as why,
  pg_catalog.format('alter policy %I on %I.%I using (studio_id = (select access.current_studio_id()) and '
    '((select session_user in (''studio_api'', ''studio_writer'')) or '
    '(select access.current_studio_mask())[studio_hash])) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '\maccess\.', '', 'g') as visible,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), '\maccess\.', '', 'g') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(( SELECT current_studio_mask() AS current_studio_mask))[studio_hash]))' as shown,
    '(studio_id = ( SELECT current_studio_id() AS current_studio_id))' as taken
  from pg_catalog.pg_policy p
  where p.polpermissive and p.oid not in (select b.policy from audit.backup_policies b)
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- A policy without WITH CHECK checks written rows by its USING condition.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   -- PostgreSQL may print the expression under any search path. It must have these functions, no
   -- others, and no operator of another schema.
   or exists (
     select from pg_catalog.pg_depend d
     where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
       and (d.refclassid = 'pg_catalog.pg_operator'::regclass
         or d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid not in (
           select f.oid from pg_catalog.pg_proc f
           join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
           where fn.nspname = 'access' and f.proname in ('current_studio_id', 'current_studio_mask') and f.pronargs = 0)));

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
