-- Trigger of access.subscriptions: a studio whose removal has begun never gets a plan again.
-- Checked here and not in access.entitled_plan(), because every request asks for the plan. Raises
-- SI409.
create or replace function access.keep_archived() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.archived_at is null and exists (select from app.studios s where s.id = new.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return new;
end
$$;

comment on function access.keep_archived() is 'Trigger of access.subscriptions: a studio that is being removed has no plan again.';
