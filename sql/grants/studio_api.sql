-- The REST pool reads the views and runs the operations of api_v1, and nothing else. Its rights on
-- the tables under the views are column by column. It has no USAGE on app, so it cannot name a
-- table.

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years to studio_api;

-- The schema has nothing but views and functions that are made for this role alone.
grant select on all tables in schema service to studio_api;
grant execute on all functions in schema service to studio_api;

grant execute on function
  api_v1.get_item, api_v1.list_item_policies, api_v1.get_policy,
  api_v1.get_account, api_v1.get_valuation_summary, api_v1.rfc3339, api_v1.squeezed, api_v1.search_patterns,
  api_v1.locations_within, api_v1.items_on, api_v1.cover_on, api_v1.sums_on,
  valuation.current_terms, valuation.manual_value_of, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  access.open_session, access.open_member_session, access.authenticate_batch, access.token_prefixes,
  access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
