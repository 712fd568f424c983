-- Archived items are never shown.
-- spec: "Archived items are never returned by the items endpoints"; Item object.
create or replace view api_v1.items with (security_invoker = true) as
select
  i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price::numeric as purchase_price, i.acquisition_date,
  case when i.depreciation_changes is null then i.depreciation_method else coalesce(
    (select c.depreciation_method from pg_catalog.unnest(i.depreciation_changes) as c
     where c.depreciation_method is not null order by c.effective_on desc limit 1), i.depreciation_method) end as depreciation_method,
  v.current_estimated_value::numeric as current_estimated_value, v.value_source,
  i.market_value_as_of,
  null::numeric as agreed_value_from_policy,
  i.reported_insured_value::numeric as reported_insured_value,
  v.coverage_state, v.gap_amount,
  i.location_id, i.created_at, i.updated_at, v.updated_at as valuation_updated_at,
  v.book_value::numeric as book_value, i.external_key, i.replacement_cost::numeric as replacement_cost,
  -- The policy of each table compares the studio with a constant, by which its index is searched.
  (select count(*) from app.item_photos p where p.item_id = i.id)::integer as photo_count,
  (select a.policy_id from app.policy_assignments a
   where a.item_id = i.id and a.is_primary) as primary_policy_id,
  (select count(distinct a.policy_id) from api_v1.assignments a where a.item_id = i.id and a.active)::integer
    as active_policy_count
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
where i.archived_at is null;

comment on view api_v1.items is 'The studio''s equipment that is not archived, each item with its valuation.';
comment on column api_v1.items.id is 'Unique item id: the key of this view.';
comment on column api_v1.items.name is 'Name of the item.';
comment on column api_v1.items.manufacturer is 'Manufacturer; empty when not recorded.';
comment on column api_v1.items.model is 'Model; empty when not recorded.';
comment on column api_v1.items.serial_number is 'Serial number; empty when not recorded.';
comment on column api_v1.items.barcode is 'Barcode; empty when not recorded.';
comment on column api_v1.items.category is 'One of the 16 categories.';
comment on column api_v1.items.tags is 'The studio''s own tags.';
comment on column api_v1.items.purchase_price is 'What was paid, in the studio''s currency; 0 when not recorded.';
comment on column api_v1.items.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.items.depreciation_method is
  'How value is calculated: none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.items.current_estimated_value is 'What the item is worth today; null when not available.';
comment on column api_v1.items.value_source is
  'Where the estimate comes from: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.items.market_value_as_of is 'When the market value was last refreshed; null when there is none.';
comment on column api_v1.items.agreed_value_from_policy is 'Reserved; always null in version 1.';
comment on column api_v1.items.reported_insured_value is 'Value reported as insured; 0 when none is.';
comment on column api_v1.items.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.items.gap_amount is 'Estimated value minus insured value; negative when more is declared.';
comment on column api_v1.items.location_id is 'Where the item is, joins locations.id; null when no location is set.';
comment on column api_v1.items.created_at is 'When the item was recorded.';
comment on column api_v1.items.updated_at is 'When somebody last changed the item.';
comment on column api_v1.items.valuation_updated_at is
  'When its value, or an amount or place that goes with it, last changed, by the calendar too.';
comment on column api_v1.items.book_value is
  'Purchase price less depreciation, even if another value counts; null when neither is recorded.';
comment on column api_v1.items.external_key is 'The studio''s own key, as imported; null when not recorded.';
comment on column api_v1.items.replacement_cost is 'What a new one would cost; null when not recorded.';
comment on column api_v1.items.photo_count is 'Number of photos.';
comment on column api_v1.items.primary_policy_id is 'Policy of the primary assignment, joins policies.id; null when there is none.';
comment on column api_v1.items.active_policy_count is
  'Number of policies under which the item is declared today; changes with the calendar.';
