-- Trigger of append-only tables: refuses every change.
create or replace function access.refuse_change() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  raise exception '% is append-only', tg_relid::regclass using errcode = '42501';
end
$$;

comment on function access.refuse_change() is 'Trigger of append-only tables: refuses update, delete and truncate.';
