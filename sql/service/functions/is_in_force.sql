-- Whether a policy is in force on a day: its dates include the day. From today on, an archived policy
-- is not in force; on an earlier day it still is, because nothing says when somebody archived it.
--   starts, ends   null: a policy without a start is never in force, one without an end does not end
create or replace function service.is_in_force(starts date, ends date, archived boolean, day date) returns boolean
language sql stable security invoker
return coalesce(starts <= day and coalesce(ends, 'infinity') >= day
  and (not archived or day < (select access.current_studio_today())), false);

comment on function service.is_in_force(date, date, boolean, date) is 'Whether a policy is in force on a day.';
