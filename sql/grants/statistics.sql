-- Auditors see which columns have statistics, but not their values. Run as the administrator. One
-- that is no superuser cannot grant it, and the audit says that it cannot see them.
do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
  end if;
end
$$;
