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
  access.current_account, access.clock, access.history, access.open_analyst_session,
  access.open_login_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
