-- Opens a studio's session until the transaction ends, for the owner's functions that work through
-- studios.
create or replace function access.enter_studio(studio_id uuid) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform pg_catalog.set_config('studio.id', coalesce(studio_id::text, ''), true);
end
$$;

comment on function access.enter_studio(uuid) is 'Opens a studio''s session for the rest of the transaction.';
