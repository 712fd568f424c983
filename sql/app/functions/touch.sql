-- Trigger: updated_at strictly increases with every change of the row, and stays when nothing
-- changes.
-- spec: "incremental sync with updated_since".
create or replace function app.touch() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- PostgreSQL computes generated columns later, so they would look changed.
  new.studio_hash := old.studio_hash;
  if new is distinct from old then
    new.updated_at := greatest(app.stamp(), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
