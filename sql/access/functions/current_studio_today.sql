-- Today's date on the calendar of the session's studio; null without a studio.
create or replace function access.current_studio_today() returns date
language sql stable security definer parallel safe
set search_path = ''
return access.studio_today(access.current_studio_id());

comment on function access.current_studio_today() is 'Today''s date in the time zone of the session''s studio.';
