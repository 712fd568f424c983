-- The items of each policy as JSON text, for the REST service; without archived items.
--   id          the page key; not the assignment's id, which is never returned
--   updated_at  the item's; a change of the assignment moves it
-- spec: Assignment object.
create or replace view service.policy_item_documents with (security_invoker = true) as
select
  a.page_key as id, a.policy_id, a.item_id, i.updated_at,
  row_to_json((select declared from (select
    a.item_id, i.name as item_name, a.declared_value::numeric as declared_value, a.is_primary, a.effective_start,
    a.effective_end
  ) as declared))::text as document
from app.policy_assignments a
-- With `offset 0` PostgreSQL looks up the items of the policy. A join could read all items of the
-- studio for a few.
cross join lateral (
  select i.name, i.updated_at from app.items i
  where i.studio_id = a.studio_id and i.id = a.item_id and i.archived_at is null offset 0
) as i;

comment on view service.policy_item_documents is 'The items of each policy as JSON text, for the REST service.';
