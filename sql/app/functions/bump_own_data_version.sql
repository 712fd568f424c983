-- Trigger of tables that have one row for each studio (studios, subscriptions): moves the studio's
-- data version. The argument names the column with the studio's id.
create or replace function app.bump_own_data_version() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new is not distinct from old then
    return null;
  end if;
  perform app.add_data_version(array[(pg_catalog.to_jsonb(new) ->> tg_argv[0])::uuid]);
  return null;
end
$$;

comment on function app.bump_own_data_version() is 'Trigger: moves the data version of the row''s studio.';
