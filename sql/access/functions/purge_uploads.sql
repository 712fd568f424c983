-- Deletes files that nobody imported within an hour (console.keep_upload), and returns their
-- number. It has no arguments, so that its caller cannot choose what to delete.
create or replace function access.purge_uploads() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  delete from access.console_uploads u where u.expires_at < pg_catalog.now();
  get diagnostics purged = row_count;
  return purged;
end
$$;

comment on function access.purge_uploads() is 'Deletes the uploads that have expired.';
