-- Ends an import from the console, in its transaction: checks again that the person may import,
-- uses up the confirmed file, so that it is imported once, and writes the studio's audit log. An
-- error undoes the import.
--   digest   that of the file and its choices, see console.keep_upload()
--   summary  what was imported: kind, file, sha256, added, changed
--   header   sha256 of the names of the file's columns; null for photos. How the file was read is kept
--            for the next one with this header (access.remembered_choices), of the last 20 headers
-- Raises what console.administrator raises, and SI409 when the file was imported, replaced or has
-- expired meanwhile.
create or replace function access.record_import(
  session_digest bytea, digest bytea, summary jsonb, header bytea default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  person uuid := console.administrator(session_digest, studio);
  chosen jsonb;
begin
  perform from access.members m where m.studio_id = studio and m.user_id = person and m.role in ('owner', 'admin') for key share;
  if not found then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  delete from access.console_uploads u
  where u.studio_id = studio and u.user_id = person and u.digest = record_import.digest and u.expires_at > pg_catalog.now()
  returning u.choices into chosen;
  if not found then
    raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, import) values (studio, 'import', person, summary);
  if header is not null then
    insert into access.import_choices as c (studio_id, kind, header, choices, chosen_at)
    values (studio, summary ->> 'kind', record_import.header, chosen, pg_catalog.now())
    on conflict on constraint import_choices_pkey do update set choices = excluded.choices, chosen_at = excluded.chosen_at;
    delete from access.import_choices c
    where c.studio_id = studio and (c.kind, c.header) not in (
      select last.kind, last.header from access.import_choices last
      where last.studio_id = studio order by last.chosen_at desc limit 20);
  end if;
end
$$;

comment on function access.record_import(bytea, bytea, jsonb, bytea) is
  'Records an import from the console in the audit log, in its transaction, and uses up the file.';
