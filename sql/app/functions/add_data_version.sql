-- Moves the data version of some studios, each in a slot that no other open transaction uses. The
-- step is random, so that a restored database, or one that took over, never reaches the same number
-- with other data.
-- One step a transaction is enough, because readers see the version after the commit. A slot that
-- this transaction has written has its id as xmin, and a second write would only leave a dead row.
-- (After a savepoint, xmin is the savepoint's id, so the version moves again.)
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  step bigint := 1 + pg_catalog.floor(pg_catalog.random() * 1e9)::bigint;
  new_slot smallint;
begin
  foreach studio in array studios loop
    continue when exists (
      select from app.data_versions d
      where d.studio_id = studio and d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid);
    update app.data_versions d set version = d.version + step
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      -- No open transaction holds or inserts a slot with this number, which would make this one
      -- wait.
      for attempt in 1 .. 100 loop
        new_slot := pg_catalog.floor(pg_catalog.random() * 32767)::smallint;
        exit when pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(studio::text, new_slot))
          and not exists (select from app.data_versions d where d.studio_id = studio and d.slot = new_slot);
      end loop;
      insert into app.data_versions as held (studio_id, slot, version) values (studio, new_slot, step)
      on conflict (studio_id, slot) do update set version = held.version + step;
    end if;
  end loop;
end
$$;

comment on function app.add_data_version(uuid[]) is 'Moves the data version of some studios.';
