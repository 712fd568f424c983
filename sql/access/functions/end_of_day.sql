-- The first moment after a day on a studio's calendar. Null for null.
create or replace function access.end_of_day(studio_id uuid, day date) returns timestamptz
language sql stable security definer
set search_path = ''
return (select access.first_moment(day + 1, s.timezone) from app.studios s where s.id = end_of_day.studio_id);

comment on function access.end_of_day(uuid, date) is 'The first moment after a day on a studio''s calendar.';
