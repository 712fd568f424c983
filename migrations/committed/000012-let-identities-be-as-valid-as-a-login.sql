--! Previous: sha1:6ffa431c67e48b4c6246e66960935bae75c2d21d
--! Hash: sha1:cafaacf54425699245738649897d3a9ba7e239cc
--! Message: let identities be as valid as a login

-- Identities for GraphQL that are as valid as an analyst's login: its end ends them.
set local role studio_owner;

--! Included access/functions/open_login_session.sql
-- Checks what the bearer of an identity of an analyst's login may do in GraphQL, and opens the studio's session for the rest
-- of the transaction. Everything is checked at this moment: that the login exists, is mapped to the studio, may log in, is
-- valid and was not rotated since the identity was issued, and the plan. So whatever ends the login ends its identities.
--   issued  when the identity was issued
-- status 401: no such login, or one that has ended. 403: the plan includes no access. 200: the session is open.
-- spec: "A caller never sees another studio's data."
create or replace function access.open_login_session(studio_id uuid, login text, issued timestamptz) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.analyst_logins l
  join pg_catalog.pg_roles r on r.rolname = l.login
  left join access.subscriptions s on s.studio_id = l.studio_id
  where l.login = open_login_session.login::name
    and l.studio_id = open_login_session.studio_id
    and r.rolcanlogin
    and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now())
    and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
    and not exists (
      select from access.analyst_log g
      where g.login = l.login and g.event = 'rotated' and g.at > coalesce(open_login_session.issued, '-infinity'));

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_login_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_login_session(uuid, text, timestamptz) is
  'Checks an analyst''s login and the plan and opens the studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_login_session.sql
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
  access.current_account, access.clock, access.history, access.open_analyst_session, access.open_login_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql

reset role;
