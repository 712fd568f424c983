-- Whether a studio has moved to another cell, and what is here is the copy that it left behind.
create or replace function access.has_left(studio_id uuid) returns boolean
language sql stable security definer
set search_path = ''
return exists (
  select from access.studio_moves m where m.studio_id = has_left.studio_id and m.state = 'moved');

comment on function access.has_left(uuid) is 'Whether a studio has moved to another cell.';
