-- How people of the session's studio last read a file of this kind with this header; null if they
-- never did. The choices are those of console.keep_upload().
create or replace function access.remembered_choices(kind text, header bytea) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select c.choices from access.import_choices c
  where c.studio_id = (select access.current_studio_id())
    and c.kind = remembered_choices.kind and c.header = remembered_choices.header
$$;

comment on function access.remembered_choices(text, bytea) is
  'How the studio''s people last read a file of this kind with this header.';
