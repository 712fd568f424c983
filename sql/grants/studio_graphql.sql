-- The GraphQL pool reads the views of api_v1 that analysts read, too. Its rights on the tables
-- under the views are column by column, and it has no USAGE on app.

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years,
  api_v1.depreciation_changes, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.shows_all_locations,
  access.current_account, access.clock, access.history, access.open_analyst_session,
  access.open_login_session,
  api_v1.items_on, api_v1.sums_on, api_v1.depreciation_schedule, valuation.current_terms, valuation.manual_value_of, valuation.explain_item,
  valuation.depreciation_months,
  valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
