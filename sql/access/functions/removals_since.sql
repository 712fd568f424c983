-- No removal since this moment is missing.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (select s.removals_since from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
