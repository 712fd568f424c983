-- Trigger: refuses a row outside the session of its studio. Unlike policies, it binds superusers,
-- too, because the other triggers write under row-level security. Raises 42501.
create or replace function app.require_session() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if (tg_op <> 'INSERT' and old.studio_id is distinct from studio)
     or (tg_op <> 'DELETE' and new.studio_id is distinct from studio)
  then
    raise exception 'a row of % can be written only in the session of its studio', tg_relid::regclass
      using errcode = '42501',
        hint = 'In the same transaction, first: select set_config(''studio.id'', ''<the studio''''s id>'', true)';
  end if;
  if tg_op = 'DELETE' then -- A case expression would copy the whole row.
    return old;
  end if;
  return new;
end
$$;

comment on function app.require_session() is 'Trigger: refuses a write outside the session of the row''s studio.';
