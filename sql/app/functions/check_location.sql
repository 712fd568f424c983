-- Trigger: only the Studio plan has more than one location, and the default location stays as long
-- as its studio. Raises SI402 (plan) and 23514.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.check_location() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    if old.is_default
      and exists (select from app.studios s where s.id = old.studio_id and s.removed_at is null)
    then
      raise exception 'a studio''s default location cannot be deleted' using errcode = '23514',
        hint = 'Make another location the default first.';
    end if;
    return old;
  end if;
  if access.current_plan() is distinct from 'studio'
     and exists (select from app.locations l where l.studio_id = new.studio_id and l.id <> new.id)
  then
    raise exception 'more than one location needs the Studio plan' using errcode = 'SI402';
  end if;
  return null;
end
$$;

comment on function app.check_location() is 'Trigger of app.locations: plan and default location.';
