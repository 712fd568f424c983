-- The month or year (renews) that begins with this day on a studio's calendar.
create or replace function access.first_period(studio_id uuid, renews text)
returns table (period_start timestamptz, period_end timestamptz)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    access.first_moment(access.studio_today(s.id), s.timezone),
    access.first_moment(
      (access.studio_today(s.id) + case renews when 'year' then interval '1 year' else interval '1 month' end)::date, s.timezone)
  from app.studios s where s.id = first_period.studio_id;
end;

comment on function access.first_period(uuid, text) is
  'The period of a month or a year that begins today on a studio''s calendar.';
