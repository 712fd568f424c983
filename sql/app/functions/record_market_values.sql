-- Trigger of app.market_values: keeps each new value in the history, so that a past day has the
-- market value that was known by then. A value is known from its date, or from today if its date is
-- in the future, because the API shows it now. The history records from today that a deleted value
-- is gone. It skips a value equal to the last one, unless its date is earlier. So neither a
-- repeated import nor a daily look-up adds rows.
create or replace function app.record_market_values() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  today date := access.current_studio_today();
  zone text := (select s.timezone from app.studios s where s.id = access.current_studio_id());
begin
  if tg_op = 'DELETE' then
    insert into app.market_value_history (studio_id, item_id, day)
    select b.studio_id, b.item_id, today from before b;
  else
    insert into app.market_value_history (studio_id, item_id, day, value, as_of)
    select c.studio_id, c.item_id, least((c.as_of at time zone zone)::date, today), c.value, c.as_of
    from changed c
    where not exists (
      select from (
        select h.day, h.value from app.market_value_history h
        where h.studio_id = c.studio_id and h.item_id = c.item_id order by h.id desc limit 1
      ) as last
      where last.value = c.value and last.day <= least((c.as_of at time zone zone)::date, today));
  end if;
  return null;
end
$$;

comment on function app.record_market_values() is 'Trigger of app.market_values: writes down what it became, and from which day.';
