--! Previous: sha1:ed49a3b1f78f8f3abc15a244d39a3dead5eb6931
--! Hash: sha1:6ffa431c67e48b4c6246e66960935bae75c2d21d
--! Message: tell the service which history a server continues

-- Logins of the service ask which history a server continues: after a failover none of them goes back to the old primary.
set local role studio_owner;

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
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller; moves the watermark. Nothing else.

grant execute on function
  access.record_activity, access.watch_analysts, access.heartbeat, access.history, access.watermark
  to studio_recorder;
--! EndIncluded grants/studio_recorder.sql
--! Included grants/studio_writer.sql
-- The app's and the importer's writes, for one studio at a time, under row-level security. Columns that the database
-- keeps itself (studio_id and id once written, created_at, updated_at, coverage_state, copies) cannot be written.
-- Items and policies are archived, not deleted.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.item_valuations,
  app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, item_id, value, as_of, source) on app.market_values to studio_writer;
grant update (value, as_of, source) on app.market_values to studio_writer;
grant delete on app.market_values to studio_writer;

grant insert (studio_id, id, external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date,
  cost, vendor, description) on app.maintenance_records to studio_writer;
grant update (external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor,
  description) on app.maintenance_records to studio_writer;
grant delete on app.maintenance_records to studio_writer;

grant insert (studio_id, id, external_key, name, carrier, policy_number, policy_type, overall_limit, deductible,
  covered_perils, location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id,
  notes) on app.policies to studio_writer;
grant update (external_key, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id, notes)
  on app.policies to studio_writer;

grant insert (studio_id, id, external_key, item_id, policy_id, declared_value, is_primary, effective_start,
  effective_end, notes) on app.policy_assignments to studio_writer;
grant update (external_key, item_id, policy_id, declared_value, is_primary, effective_start, effective_end, notes)
  on app.policy_assignments to studio_writer;
grant delete on app.policy_assignments to studio_writer;

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan, access.history,
  valuation.next_due, valuation.refresh_due, valuation.refresh, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import,
  app.stamp
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
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
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock, access.history, access.open_analyst_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql

reset role;
