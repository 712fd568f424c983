-- Forgets removals of the session's studio whose records are in their list again, with a new
-- updated_at.
create or replace function app.clear_removals(resource text, ids uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from app.removals r
  where r.studio_id = access.current_studio_id() and r.resource = clear_removals.resource
    and r.id = any (clear_removals.ids);
end
$$;

comment on function app.clear_removals(text, uuid[]) is 'Forgets removals of records that are in their list again.';
