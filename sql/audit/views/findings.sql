-- The findings of all rules; a sound database has none. Each rule is a view with these columns:
-- rule, severity (error: another studio's data is or may come within reach; warning: anything else
-- that should not stay), object, problem, why it matters, how to fix it.
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
select rule, level, object, finding, why, remedy from audit.server_left_open
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
