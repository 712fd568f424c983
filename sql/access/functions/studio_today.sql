-- Today's date on a studio's own calendar (studios.timezone); null for an unknown studio.
-- spec: "A policy is active when … effective_start is today or earlier".
create or replace function access.studio_today(studio_id uuid) returns date
language sql stable security definer parallel safe
set search_path = ''
return (select (access.clock() at time zone s.timezone)::date from app.studios s where s.id = studio_today.studio_id);

comment on function access.studio_today(uuid) is 'Today''s date in the time zone of a studio.';
