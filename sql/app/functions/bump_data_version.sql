-- Trigger: moves the data version of every studio with a row that this statement changed. The
-- version is the sum of the studio's slots (app.free_slot()), and grows with every transaction that
-- changes what the API may answer.
create or replace function app.bump_data_version() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studios uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct c.studio_id) into studios from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct b.studio_id) into studios from before b;
  elsif tg_relid = 'app.item_valuations'::regclass then
    select pg_catalog.array_agg(distinct m.studio_id) into studios from (
      select c.studio_id, c.item_id, c.updated_at from changed c
      except select b.studio_id, b.item_id, b.updated_at from before b) as m;
  else
    -- This is no join. PostgreSQL plans it for the session's first statement, which may be small,
    -- and would then compare all pairs of a large one.
    select pg_catalog.array_agg(distinct m.studio_id) into studios from (
      select c.studio_id, c.id, c.updated_at from changed c except select b.studio_id, b.id, b.updated_at from before b) as m;
  end if;
  if studios is not null then
    perform app.add_data_version(studios);
  end if;
  return null;
end
$$;

comment on function app.bump_data_version() is 'Trigger: moves the data version of the studios whose rows changed.';
