-- Since when removals of the session's studio are known without a gap: those of the whole database, or of a studio that came from
-- another cell those that were known there, whichever is later.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (
  select greatest(s.removals_since, (select o.removals_since from app.studios o where o.id = access.current_studio_id()))
  from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
