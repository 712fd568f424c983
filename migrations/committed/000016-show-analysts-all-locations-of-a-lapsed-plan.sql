--! Previous: sha1:ca2ca56c7ee9ddf13763119d5e5c21497ac541f6
--! Hash: sha1:ca7f5bdcb200d3dcec3bd1d9b64d2627e9ba25be
--! Message: show analysts all locations of a lapsed plan

-- Analysts keep all locations of a studio whose Studio plan is no longer paid for.
set local role studio_owner;

--! Included app/functions/shows_all_locations.sql
-- Whether a studio's plan shows all of its locations, and not the default one alone. Whether the plan is paid for does not
-- matter: when it no longer is, REST and GraphQL answer 403, and analysts still read what they read before.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.shows_all_locations(studio_id uuid) returns boolean
language sql stable security definer
set search_path = ''
return coalesce((
  select s.plan = 'studio' from access.subscriptions s where s.studio_id = shows_all_locations.studio_id), false);

comment on function app.shows_all_locations(uuid) is 'Whether a studio''s plan shows all of its locations.';
--! EndIncluded app/functions/shows_all_locations.sql
--! Included access/functions/shows_all_locations.sql
-- Whether the plan of the session's studio shows all of its locations: for the view that analysts read as well, who keep what they see
-- when the plan is no longer paid for.
create or replace function access.shows_all_locations() returns boolean
language sql stable security definer
set search_path = ''
return app.shows_all_locations(access.current_studio_id());

comment on function access.shows_all_locations() is
  'Whether the plan of the session''s studio shows all of its locations, paid for or not.';
--! EndIncluded access/functions/shows_all_locations.sql
--! Included api_v1/views/locations.sql
-- On a plan below Studio exactly the one implicit location. By the plan that is recorded, as in api_v1.removals: whether it includes API
-- access at this moment is checked when a session of the API is opened.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace view api_v1.locations with (security_invoker = true) as
select
  l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
  l.postal_code, l.country_code, l.is_default, l.created_at, l.updated_at
from app.locations l
where l.is_default or (select access.shows_all_locations());

comment on view api_v1.locations is 'Where the studio keeps its equipment; on the Pro plan the one default location.';
comment on column api_v1.locations.id is 'Unique location id: the key of this view.';
comment on column api_v1.locations.name is 'Name of the location.';
comment on column api_v1.locations.description is 'Free text; null when not recorded.';
comment on column api_v1.locations.type is 'site, room, storage, rack, vehicle, offsite or other; null when not recorded.';
comment on column api_v1.locations.parent_id is 'The location this one is part of, joins locations.id; null at the top.';
comment on column api_v1.locations.address_line1 is 'Street address; null when not recorded.';
comment on column api_v1.locations.address_line2 is 'Second line of the address; null when not recorded.';
comment on column api_v1.locations.city is 'City; null when not recorded.';
comment on column api_v1.locations.region is 'State, county or region; null when not recorded.';
comment on column api_v1.locations.postal_code is 'Postal code; null when not recorded.';
comment on column api_v1.locations.country_code is 'Country, ISO 3166-1 alpha-2; null when not recorded.';
comment on column api_v1.locations.is_default is 'Whether this is the studio''s default location.';
comment on column api_v1.locations.created_at is 'When the location was recorded.';
comment on column api_v1.locations.updated_at is 'When anything shown of the location last changed.';
--! EndIncluded api_v1/views/locations.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at, document) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at, document) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  service.item_documents, service.item_valuations, service.item_photos, service.item_counts, service.maintenance_documents,
  service.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.token_prefixes, access.current_studio_id,
  access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_graphql.sql
-- The GraphQL pool: reads the views of api_v1 that analysts read
-- too; column by column on the tables under the views, no USAGE on app.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_graphql;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_graphql;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_graphql;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_graphql;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_graphql;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_graphql;

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_graphql;
grant select (studio_id, month_end, closed_at) on app.closings to studio_graphql;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.shows_all_locations,
  access.current_account, access.current_version, access.clock, access.history, access.open_analyst_session,
  access.open_login_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql
--! Included grants/studio_analyst.sql
-- Analysts: each is a login of this group, mapped to one studio in access.analyst_logins. They read the views of api_v1
-- in SQL; column by column on the tables under the views, no USAGE on app, nothing to write and nothing to execute that
-- is not needed by a view.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_analyst;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_analyst;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_analyst;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_analyst;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_analyst;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_analyst;

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_analyst;
grant select (studio_id, month_end, closed_at) on app.closings to studio_analyst;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_analyst;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections, api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.shows_all_locations,
  access.current_account, access.clock,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql

-- Only views that are gone needed it.
revoke execute on function access.current_plan from studio_api, studio_graphql, studio_analyst;

reset role;
