-- Corrections of closed months: where today's rules give another value for the end of the month. A
-- condition on month_end skips the other months.
create or replace view api_v1.corrections with (security_invoker = true) as
select
  c.month_end, x.item_id, x.name, x.category,
  x.closed_value::numeric as closed_value, x.closed_value_source,
  x.closed_insured_value::numeric as closed_insured_value, x.closed_coverage_state, x.closed_currency,
  x.corrected_value::numeric as corrected_value, x.corrected_value_source,
  x.corrected_insured_value::numeric as corrected_insured_value, x.corrected_coverage_state,
  x.currency as corrected_currency, x.difference::numeric as difference, x.changed, c.closed_at
from app.closings c
cross join lateral valuation.corrections_of(c.month_end) as x;

comment on view api_v1.corrections is
  'Where today''s records say something else of a closed month than what was closed.';
comment on column api_v1.corrections.month_end is 'Last day of the month.';
comment on column api_v1.corrections.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.corrections.name is 'Name of the item.';
comment on column api_v1.corrections.category is 'Category of the item.';
comment on column api_v1.corrections.closed_value is
  'Closed value; null when none was known or the item was not in the inventory.';
comment on column api_v1.corrections.closed_value_source is 'Its source; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_insured_value is
  'Closed insured value; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_coverage_state is
  'Closed coverage state; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_currency is
  'Closed currency; null when the item was not in the inventory.';
comment on column api_v1.corrections.corrected_value is
  'What today''s records say of the end of that month; null when none is known or the item is not there.';
comment on column api_v1.corrections.corrected_value_source is 'Its source; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_insured_value is
  'Today''s insured value; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_coverage_state is
  'Coverage state by today''s records; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_currency is 'Today''s currency; null when the item is not in the inventory.';
comment on column api_v1.corrections.difference is
  'Corrected minus closed value, none counting as 0; null between two currencies.';
comment on column api_v1.corrections.changed is
  'Which inputs have changed since; added or removed for an item that was not or is not there.';
comment on column api_v1.corrections.closed_at is 'When the month was closed.';
