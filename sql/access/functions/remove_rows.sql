-- Removes rows of a studio whose removal has begun, about as many as at_most in a transaction;
-- returns their number: call it until it returns 0, when the studio itself is gone. The studio's
-- audit log and the log of its analysts stay; of its people access.forget_people() keeps what other
-- studios need. Raises SI404 before access.begin_removal(), SI409 as long as a login of an analyst
-- is left.
create or replace function access.remove_rows(studio_id uuid, at_most integer default 1000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  part text;
  removed bigint;
  people uuid[];
begin
  perform from app.studios s where s.id = studio_id and s.removed_at is not null for no key update;
  if not found then
    if exists (select from app.studios s where s.id = studio_id) then
      raise exception 'the removal of the studio has not begun' using errcode = 'SI404';
    end if;
    return 0;
  end if;
  if exists (select from access.analyst_logins l where l.studio_id = studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
  perform access.enter_studio(studio_id);
  foreach part in array array['access.console_uploads', 'access.import_choices', 'app.closed_values', 'app.closings',
    'app.market_value_history', 'app.maintenance_records', 'app.policy_assignments', 'app.depreciation_changes',
    'app.items', 'app.policies', 'app.locations',
    'app.removals', 'access.analyst_statements', 'access.request_activity', 'access.tokens', 'app.item_counts',
    'app.maintenance_counts', 'app.count_changes']
  loop
    execute pg_catalog.format(
      'delete from %1$s t where t.studio_id = $1 and t.ctid = any (array(
         select d.ctid from %1$s d where d.studio_id = $1 limit $2))', part)
    using studio_id, at_most;
    get diagnostics removed = row_count;
    exit when removed > 0;
  end loop;

  if removed = 0 then
    delete from app.data_versions d where d.studio_id = studio_id;
    with former as (delete from access.members m where m.studio_id = studio_id returning m.user_id)
    select pg_catalog.array_agg(f.user_id) into people from former f;
    delete from access.subscriptions s where s.studio_id = studio_id;
    delete from app.studios s where s.id = studio_id;
    removed := 1;
    perform access.forget_people(studio_id, people);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return removed;
end
$$;

comment on function access.remove_rows(uuid, integer) is 'Removes rows of a studio whose removal has begun.';
