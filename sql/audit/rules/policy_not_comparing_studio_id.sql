-- Permissive policies that let a row pass by anything else than its studio. Judged by the expression as the server
-- prints it and by the function it depends on, so that another function of the same name does not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'A row is its studio''s alone: a policy that compares anything else, or the right column with anything else, shows '
    'or takes rows of other studios.' as why,
  pg_catalog.format('alter policy %I on %I.%I using (studio_id = (select access.current_studio_id()) and '
    '((select session_user in (''studio_api'', ''studio_writer'')) or '
    'studio_id = any (array[(select access.current_studio_id())]))) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'access.', '') as visible,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), 'access.', '') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(studio_id = ANY (ARRAY[( SELECT current_studio_id() AS current_studio_id)]))))' as shown,
    '(studio_id = ( SELECT current_studio_id() AS current_studio_id))' as taken
  from pg_catalog.pg_policy p
  where p.polpermissive
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- Without its own check, a policy for writes takes what it shows.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   or not exists (
     select
     from pg_catalog.pg_depend d
     join pg_catalog.pg_proc f on f.oid = d.refobjid
     join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
     where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
       and d.refclassid = 'pg_catalog.pg_proc'::regclass
       and fn.nspname = 'access' and f.proname = 'current_studio_id');

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
