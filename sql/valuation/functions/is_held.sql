-- Whether an item is in the inventory at the end of a day of the studio's calendar. It enters on its
-- acquisition or creation day, whichever is earlier, and leaves on its disposal day, else its
-- archiving day (gone_on). An archived item is not in it today or later.
create or replace function valuation.is_held(
  day date, acquired_on date, created_on date, gone_on date, is_archived boolean, today date
) returns boolean
language sql immutable security invoker parallel safe
return (acquired_on <= day or created_on <= day) and (not is_archived or (day < gone_on and day < today));

comment on function valuation.is_held(date, date, date, date, boolean, date) is
  'Whether an item is in its studio''s inventory at the end of a day.';
