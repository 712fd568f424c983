-- The version of everything that may be answered for the session's studio (access.studio_versions): null when the session has none.
create or replace function access.current_version() returns text
language sql stable security definer
set search_path = ''
return (select v.version from access.studio_versions v where v.studio_id = access.current_studio_id());

comment on function access.current_version() is 'The version of everything that may be answered for the session''s studio.';
