-- The file that the session's user is about to import, if it has this digest and is less than an
-- hour old; otherwise no row.
-- Raises what console.administrator raises.
create or replace function console.read_upload(session_digest bytea, studio_id uuid, digest bytea)
returns table (content bytea, choices jsonb)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return query
    select u.content, u.choices from access.console_uploads u
    where u.studio_id = read_upload.studio_id and u.user_id = person and u.digest = read_upload.digest
      and u.expires_at > pg_catalog.now();
end
$$;

comment on function console.read_upload(bytea, uuid, bytea) is 'The file that the session''s user is about to import.';
