--! Previous: sha1:31d014102037aee1dc86355d72554ef96813c5ac
--! Hash: sha1:bb980dd99bb91fa76470e32403ef3b00ec31b3cb
--! Message: audit by comparison

-- The audit compares an analyst's mapping with its log, and sees of which columns statistics are kept.
set local role studio_owner;

--! Included access/functions/misdirected_analysts.sql
-- The analysts' logins that are mapped otherwise than the commands map them, by what access.analyst_log has kept: a login
-- is mapped once, when it is made, and never to another studio. For the audit, whose reader sees neither of the tables:
-- it returns names of logins and nothing of a studio.
create or replace function access.misdirected_analysts() returns table (login name, reason text)
language sql stable security definer
set search_path = ''
begin atomic
  select judged.login, judged.reason
  from (
    select
      l.login,
      case
        when r.oid is null then 'has no role: whoever makes one of that name sees the studio'
        when not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member') then 'is no member of studio_analyst'
        when not exists (select from access.analyst_log g where g.login = l.login and g.event = 'mapped')
          then 'was mapped past the log'
        when exists (
          select from access.analyst_log g
          where g.login = l.login and g.event = 'mapped' and g.studio_id <> l.studio_id)
          then 'was first mapped to another studio'
      end as reason
    from access.analyst_logins l
    left join pg_catalog.pg_roles r on r.rolname = l.login
  ) as judged
  where judged.reason is not null;
end;

comment on function access.misdirected_analysts() is
  'Analysts'' logins that are mapped otherwise than access.analyst_log says; for the audit.';
--! EndIncluded access/functions/misdirected_analysts.sql
--! Included audit/rules/analyst_mapping_changed.sql
-- Analysts' logins whose studio is not the one they were made for, or that nobody holds. Reads no row: a function of the
-- owner compares the mapping with its log and returns names.
create or replace view audit.analyst_mapping_changed with (security_invoker = true) as
select
  'analyst_mapping_changed' as rule,
  'error' as level,
  pg_catalog.quote_ident(m.login) as object,
  m.reason as finding,
  'An analyst sees the studio that access.analyst_logins names; the commands map a login once, and never to another studio.'
    as why,
  pg_catalog.format('delete from access.analyst_logins where login = %L; -- then make a login with analyst create', m.login)
    as remedy
from access.misdirected_analysts() as m;

comment on view audit.analyst_mapping_changed is
  'Analysts'' logins that are mapped otherwise than they were made.';
--! EndIncluded audit/rules/analyst_mapping_changed.sql
--! Included audit/views/findings.sql
-- What all rules find; nothing in a sound database. A rule is a view of its own with these columns: which rule, how bad
-- (error: another studio's data is or may come within reach; warning: something else that should not stay), on what,
-- what is wrong, why it matters, how to mend it.
create or replace view audit.findings with (security_invoker = true) as
select rule, level, object, finding, why, remedy from audit.table_without_row_level_security
union all
select rule, level, object, finding, why, remedy from audit.policy_for_a_role
union all
select rule, level, object, finding, why, remedy from audit.policy_not_comparing_studio_id
union all
select rule, level, object, finding, why, remedy from audit.studio_hash_not_exact
union all
select rule, level, object, finding, why, remedy from audit.view_without_condition
union all
select rule, level, object, finding, why, remedy from audit.permissive_policies_that_add_up
union all
select rule, level, object, finding, why, remedy from audit.view_not_invoker
union all
select rule, level, object, finding, why, remedy from audit.wrong_owner
union all
select rule, level, object, finding, why, remedy from audit.function_without_search_path
union all
select rule, level, object, finding, why, remedy from audit.executable_by_everybody
union all
select rule, level, object, finding, why, remedy from audit.catalog_function_open
union all
select rule, level, object, finding, why, remedy from audit.language_usage
union all
select rule, level, object, finding, why, remedy from audit.temporary_or_create
union all
select rule, level, object, finding, why, remedy from audit.column_grant_beyond_the_list
union all
select rule, level, object, finding, why, remedy from audit.usage_on_app
union all
select rule, level, object, finding, why, remedy from audit.member_of_two_exposed_roles
union all
select rule, level, object, finding, why, remedy from audit.dangerous_membership
union all
select rule, level, object, finding, why, remedy from audit.exposed_role_with_powers
union all
select rule, level, object, finding, why, remedy from audit.login_without_limits
union all
select rule, level, object, finding, why, remedy from audit.index_not_leading_with_studio_id
union all
select rule, level, object, finding, why, remedy from audit.statistics_on_a_private_column
union all
select rule, level, object, finding, why, remedy from audit.extended_statistics
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_across_studios
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_without_index
union all
select rule, level, object, finding, why, remedy from audit.setting_with_a_secret
union all
select rule, level, object, finding, why, remedy from audit.server_below_safe_version
union all
select rule, level, object, finding, why, remedy from audit.analyst_mapping_changed;

comment on view audit.findings is 'What all rules of the audit find; no row in a sound database.';
--! EndIncluded audit/views/findings.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;

-- Names of logins alone, for audit.analyst_mapping_changed.
grant execute on function access.misdirected_analysts to studio_auditor;
--! EndIncluded grants/studio_auditor.sql

reset role;

--! Included grants/statistics.sql
-- Auditors see of which columns statistics are kept, and none of their values. Run as the administrator; where that is no
-- superuser, the audit says that it cannot see it.
do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
  end if;
end
$$;
--! EndIncluded grants/statistics.sql
