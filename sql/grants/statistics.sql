-- Auditors see of which columns statistics are kept, and none of their values. Run as the
-- administrator; where that is no superuser, the audit says that it cannot see it.
do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
  end if;
end
$$;
