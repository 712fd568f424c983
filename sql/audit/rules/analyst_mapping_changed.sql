-- Finds logins of analysts that belong to another studio than when they were made, or that have lost
-- their role. An auditor may not read the mapping, so a function of the owner compares it with its log
-- and returns the names.
create or replace view audit.analyst_mapping_changed with (security_invoker = true) as
select
  'analyst_mapping_changed' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(m.login) as object,
  m.reason as finding,
  'The analyst reads the studio that access.analyst_logins names. The commands never map a login to a second studio.'
    as why,
  pg_catalog.format('delete from access.analyst_logins where login = %L; -- then make a login with analyst create', m.login)
    as remedy
from access.misdirected_analysts() as m;

comment on view audit.analyst_mapping_changed is
  'Analysts'' logins whose studio is not the one of their creation.';
