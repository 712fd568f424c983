-- For each major version the first minor one with the fixes that isolation relies on. Older majors
-- never got these fixes; newer ones always had them.
create or replace view audit.safe_versions with (security_invoker = true) as
select v.major, v.minor
from (values (15, 20), (16, 16), (17, 12), (18, 6)) as v (major, minor);

comment on view audit.safe_versions is 'The first safe minor version of each major version of PostgreSQL.';
