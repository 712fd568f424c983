-- The first moment of a day in a time zone. Where clocks go back from one o'clock to midnight (the
-- Azores, Havana), there are two midnights, and PostgreSQL converts to the second.
create or replace function access.first_moment(day date, timezone text) returns timestamptz
language sql immutable security invoker
return case
  when ((day::timestamp at time zone timezone) - interval '1 hour') at time zone timezone >= day
  then (day::timestamp at time zone timezone) - interval '1 hour'
  else day::timestamp at time zone timezone
end;

comment on function access.first_moment(date, text) is 'The first moment of a day in a time zone.';
