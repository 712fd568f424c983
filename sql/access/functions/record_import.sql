-- Ends an import from the console, in its transaction: checks again that the person may import,
-- uses up the confirmed file, so that it is imported once, and writes the studio's audit log. An
-- error undoes the import.
--   digest   that of the file and its choices, see console.keep_upload()
--   summary  what was imported: kind, file, sha256, added, changed
-- Raises what console.administrator raises, and SI409 when the file was imported, replaced or has
-- expired meanwhile.
create or replace function access.record_import(session_digest bytea, digest bytea, summary jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  person uuid := console.administrator(session_digest, studio);
begin
  perform from access.members m where m.studio_id = studio and m.user_id = person and m.role in ('owner', 'admin') for key share;
  if not found then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  delete from access.console_uploads u
  where u.studio_id = studio and u.user_id = person and u.digest = record_import.digest and u.expires_at > pg_catalog.now();
  if not found then
    raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, import) values (studio, 'import', person, summary);
end
$$;

comment on function access.record_import(bytea, bytea, jsonb) is
  'Records an import from the console in the audit log, in its transaction, and uses up the file.';
