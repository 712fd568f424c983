-- Constraint trigger, which runs at the end of the transaction: a studio must have a default
-- location. By then, the transaction may be in another studio's session. Raises 23514.
create or replace function app.require_default_location() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  last_studio text := pg_catalog.current_setting('studio.id', true);
begin
  perform access.enter_studio(old.studio_id);
  if not exists (select from app.locations l where l.studio_id = old.studio_id and l.is_default) then
    raise exception 'a studio needs one default location' using errcode = '23514',
      hint = 'Make another location the default in the same transaction.';
  end if;
  perform pg_catalog.set_config('studio.id', coalesce(last_studio, ''), true);
  return null;
end
$$;

comment on function app.require_default_location() is 'Constraint trigger of app.locations: one default location.';
