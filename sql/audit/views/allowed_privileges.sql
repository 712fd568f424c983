-- What each role may read and write at most: role × privilege × relation × column. '*' is the whole
-- relation, with columns that a later version adds. The list names the views of api_v1 and what the
-- writer writes. grants/ grants it, so a new grant is written twice on purpose. A role that reads a
-- view reads the columns under it, except hidden ones. The views of service are not in the list:
-- studio_api may read each of them. Nobody outside can write a statement of that role, so a view
-- there shows only what the REST service asks of it. The list of api_v1 stays, because analysts
-- write their own statements.
create or replace view audit.allowed_privileges with (security_invoker = true) as
with listed as (
  select role, privilege, listed.relation, column_name
  from (values
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_changes', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
    ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),

    -- These are the rights of the writer.
    ('studio_writer', 'SELECT', 'app.locations', '*'),
    ('studio_writer', 'SELECT', 'app.items', '*'),
    ('studio_writer', 'SELECT', 'app.item_photos', '*'),
    ('studio_writer', 'SELECT', 'app.market_values', '*'),
    ('studio_writer', 'SELECT', 'app.depreciation_changes', '*'),
    ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
    ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
    ('studio_writer', 'SELECT', 'app.policies', '*'),
    ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
    ('studio_writer', 'DELETE', 'app.locations', '*'),
    ('studio_writer', 'DELETE', 'app.item_photos', '*'),
    ('studio_writer', 'DELETE', 'app.market_values', '*'),
    ('studio_writer', 'DELETE', 'app.depreciation_changes', '*'),
    ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
    ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
    ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.locations',
      'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
       is_default'),
    ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.items',
      'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
       acquisition_date depreciation_method useful_life_months residual_value depreciation_rate
       switches_to_straight_line manual_value replacement_cost reported_insured_value disposed_on disposal_proceeds
       archived_at'),
    ('studio_writer', 'INSERT', 'app.depreciation_changes', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.depreciation_changes',
      'external_key item_id effective_on depreciation_method useful_life_months residual_value depreciation_rate
       switches_to_straight_line'),
    ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
    ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
    ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
    ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
    ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
      'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
    ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.policies',
      'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
       effective_start effective_end archived_at owner_user_id source_document_id notes'),
    ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
      'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
  ) as listed (roles, privileges, relation, columns)
  cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
  cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
  cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
  union all
  -- The casts keep the definition the same after a dump and restore.
  select 'studio_api'::text, 'SELECT'::text, pg_catalog.format('%I.%I', n.nspname, c.relname), '*'::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'service' and c.relkind = 'v'
)
select role, privilege, relation, column_name from listed
union
select l.role, l.privilege, c.relation, c.column_name
from listed l
join audit.view_columns c on c.view_name = l.relation
where not exists (
  select from audit.hidden_columns h where h.relation = c.relation and h.column_name in (c.column_name, '*'))
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
