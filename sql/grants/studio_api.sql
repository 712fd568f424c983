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
  service.maintenance_counts, service.location_documents, service.policy_documents, service.removal_documents to studio_api;

grant execute on function
  api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item, api_v1.list_item_policies, api_v1.get_policy,
  api_v1.get_account, api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_batch, access.token_prefixes,
  access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
