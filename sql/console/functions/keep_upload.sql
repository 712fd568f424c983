-- Stores a file that the session's user may import within an hour; access.purge_uploads() deletes
-- it later. Replaces the user's last file for this studio. Imports nothing.
--   content  the file, at most 10 MiB
--   choices  what the user chose in the form: the kind of file, its name, columns, formats
--   digest   sha256 of content and choices, by which the preview and its confirmation name them
-- Raises what console.administrator raises.
create or replace function console.keep_upload(
  session_digest bytea, studio_id uuid, content bytea, choices jsonb, digest bytea
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  insert into access.console_uploads as u (studio_id, user_id, content, choices, digest, expires_at)
  values (keep_upload.studio_id, person, keep_upload.content, keep_upload.choices, keep_upload.digest,
    pg_catalog.now() + interval '1 hour')
  on conflict on constraint console_uploads_pkey do update
  set content = excluded.content, choices = excluded.choices, digest = excluded.digest, expires_at = excluded.expires_at;
end
$$;

comment on function console.keep_upload(bytea, uuid, bytea, jsonb, bytea) is
  'Stores the file that the session''s user is about to import, for an hour.';
