-- Which views join by which columns. PostgreSQL declares no keys on views, so tools cannot find the
-- joins; people and scripts find them here, and in the comments of the columns. Like every view, it
-- is empty without a studio.
create or replace view api_v1.relationships with (security_invoker = true) as
select r.view_name, r.column_name, r.refers_to_view, r.refers_to_column, r.may_be_null, r.note
from (values
  ('items', 'location_id', 'locations', 'id', true, 'On the Pro plan only the default location is shown.'),
  ('items', 'primary_policy_id', 'policies', 'id', true, 'Null without a primary assignment.'),
  ('locations', 'parent_id', 'locations', 'id', true, 'The location that this one is part of.'),
  ('maintenance', 'item_id', 'items', 'id', false, 'Every record finds its item.'),
  ('workings', 'item_id', 'items', 'id', false, 'One row for each item.'),
  ('depreciation_schedule', 'item_id', 'items', 'id', false, 'Only items that depreciate.'),
  ('depreciation_changes', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('closed_values', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('corrections', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('assignments', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('assignments', 'policy_id', 'policies', 'id', false, 'Every assignment finds its policy.')
) as r (view_name, column_name, refers_to_view, refers_to_column, may_be_null, note)
where (select access.current_studio_id()) is not null;

comment on view api_v1.relationships is 'Which views can be joined by which columns; each id is unique in its view.';
comment on column api_v1.relationships.view_name is 'The view with the column.';
comment on column api_v1.relationships.column_name is 'The column that refers.';
comment on column api_v1.relationships.refers_to_view is 'The view that the column refers to.';
comment on column api_v1.relationships.refers_to_column is 'Its key, unique there.';
comment on column api_v1.relationships.may_be_null is 'Whether the referring column can be null: then a left join keeps all rows.';
comment on column api_v1.relationships.note is 'What to know when joining.';
