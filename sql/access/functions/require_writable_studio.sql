-- Trigger of tables that are written without a studio's session: refuses rows of a studio whose writes a move has stopped. The
-- argument names the column that holds the studio's id. Raises SI503.
create or replace function access.require_writable_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    perform access.require_writable((pg_catalog.to_jsonb(old) ->> tg_argv[0])::uuid);
  end if;
  if tg_op <> 'DELETE' then
    perform access.require_writable((pg_catalog.to_jsonb(new) ->> tg_argv[0])::uuid);
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

comment on function access.require_writable_studio() is 'Trigger: refuses rows of a studio whose writes a move has stopped.';
