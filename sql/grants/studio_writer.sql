-- The app and the importer write with this role, for one studio at a time, under row-level
-- security. It cannot write columns that the database keeps itself: studio_id and id once they are
-- written, created_at, updated_at, coverage_state, and copies. It archives items and policies and
-- does not delete them.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.depreciation_changes,
  app.item_valuations, app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line, manual_value, replacement_cost, reported_insured_value, disposed_on,
  disposal_proceeds, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line, manual_value, replacement_cost, reported_insured_value, disposed_on,
  disposal_proceeds, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, id, external_key, item_id, effective_on, depreciation_method, useful_life_months,
  residual_value, depreciation_rate, switches_to_straight_line) on app.depreciation_changes to studio_writer;
grant update (external_key, item_id, effective_on, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line) on app.depreciation_changes to studio_writer;
grant delete on app.depreciation_changes to studio_writer;

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

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_studio_today,
  access.current_plan, access.history,
  valuation.next_due, valuation.refresh_due, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import, access.record_import, access.remembered_choices,
  access.text_lengths, app.stamp
  to studio_writer;
