-- Follows names.sql: the roles that count as administrators.
select r.rolname as name, concat_ws(', ', case when r.rolsuper then 'superuser' end, case when r.rolcreaterole then 'makes roles' end)
  as powers
from pg_roles r
join administrators a on a.role = r.oid
order by r.rolname collate "C"
