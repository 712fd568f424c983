-- How every item depreciates, month by month. A condition on item_id skips the other items.
create or replace view api_v1.depreciation_schedule with (security_invoker = true) as
select
  i.id as item_id, m.month, m.starts_on, m.ends_on, m.opening_value::numeric as opening_value,
  m.charge::numeric as charge, m.closing_value::numeric as closing_value
from app.items i
cross join lateral valuation.depreciation_months(i.id) as m
where i.archived_at is null;

comment on view api_v1.depreciation_schedule is 'The depreciation of each item, month by month until its residual value. Ask for one item.';
comment on column api_v1.depreciation_schedule.item_id is 'The item, joins items.id.';
comment on column api_v1.depreciation_schedule.month is 'Which month of the item''s life, from 1.';
comment on column api_v1.depreciation_schedule.starts_on is 'First day of the month.';
comment on column api_v1.depreciation_schedule.ends_on is 'Last day of the month, at whose end the charge is made.';
comment on column api_v1.depreciation_schedule.opening_value is 'Value at the beginning of the month.';
comment on column api_v1.depreciation_schedule.charge is 'What the month takes off.';
comment on column api_v1.depreciation_schedule.closing_value is 'Value at the end of the month.';
