-- Trigger of app.policies: notes when policies leave the list of active ones. Notes the calendar's
-- changes in advance: the end of a policy as a future removal, and its beginning as the end of a
-- removal.
create or replace function app.remove_policies() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into ids from before b;
    perform app.clear_removals('policy', ids);
    perform app.record_removals('policy', ids, 'deleted');
    return null;
  end if;
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into ids from changed c;
  else
    select pg_catalog.array_agg(m.id) into ids from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.archived_at is null, c.effective_start, c.effective_end from changed c
      except select b.id, b.archived_at is null, b.effective_start, b.effective_end from before b) as m;
  end if;
  if ids is not null then
    perform app.schedule_policies(ids, tg_op = 'INSERT');
  end if;
  return null;
end
$$;

comment on function app.remove_policies() is 'Trigger of app.policies: notes when policies leave the list.';
