-- Trigger of permanent tables: refuses every change. A row leaves only with its studio: by the
-- foreign key, or by access.remove_rows() during a removal. Raises 42501.
create or replace function app.keep() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (
    select from app.studios s where s.id = old.studio_id and s.removed_at is null)
  then
    return old;
  end if;
  raise exception '% is append-only', tg_relid::regclass using errcode = '42501';
end
$$;

comment on function app.keep() is 'Trigger of append-only tables: refuses every change but the removal with the studio.';
