-- Changes of estimate that are dated.
create or replace view api_v1.depreciation_changes with (security_invoker = true) as
select
  c.id, c.item_id, c.effective_on, c.depreciation_method, c.useful_life_months, c.residual_value::numeric as residual_value,
  c.depreciation_rate, c.switches_to_straight_line
from app.depreciation_changes c
where c.effective_on is not null;

comment on view api_v1.depreciation_changes is 'Changes of how items depreciate, each from its day on; null is as before.';
comment on column api_v1.depreciation_changes.id is 'Unique id: the key of this view.';
comment on column api_v1.depreciation_changes.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.depreciation_changes.effective_on is 'Day from which the change applies.';
comment on column api_v1.depreciation_changes.depreciation_method is 'The new method; null: as before.';
comment on column api_v1.depreciation_changes.useful_life_months is 'The new useful life, since the acquisition; null: as before.';
comment on column api_v1.depreciation_changes.residual_value is 'The new residual value; null: as before.';
comment on column api_v1.depreciation_changes.depreciation_rate is 'The new rate, percent a year; null: as before.';
comment on column api_v1.depreciation_changes.switches_to_straight_line is
  'Whether straight line takes over: yes, once an even spread of the rest charges more; floor; no; null: as before.';
