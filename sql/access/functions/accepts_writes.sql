-- Whether a studio may be written now: not while a move has stopped its writes, nor in the cell that it has moved away from or is
-- arriving in. Whoever asks keeps the move from stopping them until the end of the transaction, so that no write comes after the stop.
-- The stop is a lock that the session of `studio move` has: it ends with that session, whatever happens to the command. From the
-- switch on it is the state of the move, which lasts. A transaction whose snapshot is older than that state does not see it; it
-- locks the studio's row, which the switch has written, and fails with 40001.
-- There are 1,024 such locks for all studios, so that a transaction may write to any number of them. While another studio with
-- the same lock is stopped, its end is waited for.
create or replace function access.accepts_writes(studio_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  lock integer := pg_catalog.uuid_hash(accepts_writes.studio_id) & 1023;
begin
  if not pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtext('studio move'), lock) then
    if exists (
      select from access.studio_moves m
      where m.studio_id = accepts_writes.studio_id and m.state in ('copying', 'switching')) then
      return false;
    end if;
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('studio move'), lock);
  end if;
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    perform from app.studios s where s.id = accepts_writes.studio_id for share;
  end if;
  return not exists (
    select from access.studio_moves m
    where m.studio_id = accepts_writes.studio_id
      and m.state in ('switching', 'moved', 'arriving', 'landed', 'clearing'));
end
$$;

comment on function access.accepts_writes(uuid) is 'Whether a studio may be written now: no move has stopped its writes.';
