-- The trigger of app.count_changes: at the end of the transaction, or when it checks its
-- constraints.
do $$
begin
  if not exists (select from pg_catalog.pg_trigger t
    where t.tgrelid = 'app.count_changes'::regclass and t.tgname = 'write_counts') then
    create constraint trigger write_counts after insert on app.count_changes
      deferrable initially deferred for each row when (new.is_first) execute function app.write_counts();
  end if;
end
$$;
