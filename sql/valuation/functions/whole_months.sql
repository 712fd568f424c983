-- The largest n with from_day + n months <= to_day; negative if to_day is earlier.
-- 31 January + 1 month is the last day of February.
create or replace function valuation.whole_months(from_day date, to_day date) returns integer
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  months integer :=
    (pg_catalog.date_part('year', to_day) - pg_catalog.date_part('year', from_day)) * 12
    + pg_catalog.date_part('month', to_day) - pg_catalog.date_part('month', from_day);
begin
  if (from_day + pg_catalog.make_interval(months => months))::date > to_day then
    months := months - 1;
  end if;
  return months;
end
$$;

comment on function valuation.whole_months(date, date) is 'Whole calendar months from one day to another.';
