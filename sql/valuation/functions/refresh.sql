-- The refresh of all studios in one transaction, as processes of version 1.0 call it daily while an upgrade goes on. It waits for
-- nobody: what is left is refreshed soon by a process of this version. Returns how many items show a new value.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio_hash integer := valuation.next_due(null, rebuild_missing);
  refreshed record;
  total bigint := 0;
begin
  while studio_hash is not null loop
    loop
      select r.valued, r.moved into refreshed from valuation.refresh_due(studio_hash, rebuild_missing) as r;
      exit when refreshed.valued = 0;
      total := total + refreshed.moved;
    end loop;
    studio_hash := valuation.next_due(studio_hash, rebuild_missing);
  end loop;
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values again what is due in all studios; for processes of version 1.0, until the next minor version.';
