-- Depreciation by financial year and category; the studio's total is the sum. Computes all years
-- together, because each begins with the previous year's end.
create or replace view api_v1.depreciation_years with (security_invoker = true) as
select
  y.year_start, y.year_end, y.category, y.items, y.opening_value::numeric(16,2) as opening_value,
  y.additions::numeric(16,2) as additions, y.charge::numeric(16,2) as charge, y.closing_value::numeric(16,2) as closing_value
from valuation.depreciation_years() as y;

comment on view api_v1.depreciation_years is
  'Depreciation by financial year and category, of items that are not archived.';
comment on column api_v1.depreciation_years.year_start is
  'First day of the financial year; of the calendar year when the studio has named no first month.';
comment on column api_v1.depreciation_years.year_end is 'Last day of the financial year.';
comment on column api_v1.depreciation_years.category is 'One of the 16 categories.';
comment on column api_v1.depreciation_years.items is
  'Number of items that depreciate, acquired by the end of the year.';
comment on column api_v1.depreciation_years.opening_value is 'Their value at the beginning of the year.';
comment on column api_v1.depreciation_years.additions is 'Purchase prices of what was acquired during the year.';
comment on column api_v1.depreciation_years.charge is
  'What the year takes off: opening value and additions less the closing value.';
comment on column api_v1.depreciation_years.closing_value is 'Their value at the end of the year.';
