-- A slot of the studio's data version that no other open transaction uses: this transaction's own,
-- or the first that it can lock; null when there is none. The lock lasts until the transaction
-- ends, and reserves the slot of the same number in the counters. So writers of one studio neither
-- wait nor deadlock over a count, and there are about as many slots as concurrent writers.
create or replace function app.free_slot(studio_id uuid) returns smallint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select d.slot from app.data_versions d
    where d.studio_id = free_slot.studio_id
    order by d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid desc, d.slot limit 1
    for update skip locked);
end
$$;

comment on function app.free_slot(uuid) is 'A slot of a studio''s counters that no other open transaction uses.';
