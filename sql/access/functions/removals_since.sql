-- Since when removals of the session's studio are known without a gap: of a studio that came from another cell as there, because
-- its removals came along, else since the moment that applies to the whole database.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (
  select coalesce(
    (select max(m.removals_since) from access.studio_moves m
     where m.studio_id = access.current_studio_id() and m.state in ('landed', 'active')),
    s.removals_since)
  from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
