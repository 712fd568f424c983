-- The version of a studio's answers, as a text: the studio, its data version and today's date
-- there. Two answers to the same question with the same version are the same.
create or replace view access.studio_versions with (security_invoker = true) as
select s.id as studio_id,
  s.id || '/'
    || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = s.id), 0) || '/'
    || (access.clock() at time zone s.timezone)::date as version
from app.studios s;

comment on view access.studio_versions is 'The version of everything the API may answer for each studio.';
