-- The reconciliation by financial year and category. Reading one year computes all, because each
-- year opens with the closing values of the previous one.
create or replace view api_v1.depreciation_years with (security_invoker = true) as
select
  y.year_start, y.year_end, y.category, y.items,
  round(y.opening_cost, a.minor_units) as opening_cost,
  round(y.additions, a.minor_units) as additions,
  round(y.disposed_cost, a.minor_units) as disposed_cost,
  round(y.closing_cost, a.minor_units) as closing_cost,
  round(y.opening_accumulated, a.minor_units) as opening_accumulated,
  round(y.charge, a.minor_units) as charge,
  round(y.disposed_accumulated, a.minor_units) as disposed_accumulated,
  round(y.closing_accumulated, a.minor_units) as closing_accumulated,
  round(y.opening_value, a.minor_units) as opening_value,
  round(y.closing_value, a.minor_units) as closing_value,
  round(y.proceeds, a.minor_units) as proceeds,
  round(y.proceeds - (y.disposed_cost - y.disposed_accumulated), a.minor_units) as gain
from valuation.depreciation_years() as y
cross join access.current_account() as a;

comment on view api_v1.depreciation_years is
  'Cost, accumulated depreciation and carrying amount by financial year and category, with additions, disposals and charges.';
comment on column api_v1.depreciation_years.year_start is
  'First day of the financial year; of the calendar year when the studio has named no first month.';
comment on column api_v1.depreciation_years.year_end is 'Last day of the financial year.';
comment on column api_v1.depreciation_years.category is 'One of the 16 categories.';
comment on column api_v1.depreciation_years.items is 'Number of items that depreciate, in the books at the end of the year.';
comment on column api_v1.depreciation_years.opening_cost is 'Purchase prices of the items in the books at the beginning of the year.';
comment on column api_v1.depreciation_years.additions is 'Purchase prices of the items acquired during the year.';
comment on column api_v1.depreciation_years.disposed_cost is 'Purchase prices of the items disposed of or archived during the year.';
comment on column api_v1.depreciation_years.closing_cost is 'Opening cost and additions less disposed cost.';
comment on column api_v1.depreciation_years.opening_accumulated is 'Depreciation until the beginning of the year.';
comment on column api_v1.depreciation_years.charge is 'Depreciation of the year; of disposed items until their disposal.';
comment on column api_v1.depreciation_years.disposed_accumulated is 'Depreciation of the disposed items until their disposal.';
comment on column api_v1.depreciation_years.closing_accumulated is 'Opening accumulated and charge less disposed accumulated.';
comment on column api_v1.depreciation_years.opening_value is 'Carrying amount at the beginning: opening cost less accumulated.';
comment on column api_v1.depreciation_years.closing_value is 'Carrying amount at the end: closing cost less accumulated.';
comment on column api_v1.depreciation_years.proceeds is 'Proceeds of disposals; 0 where nothing is recorded.';
comment on column api_v1.depreciation_years.gain is 'Proceeds less the carrying amount of the disposed items; negative for a loss.';
