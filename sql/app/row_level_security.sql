-- These policies decide who sees which rows of app. Each table has one for everybody, and all have
-- the same two expressions. A second one lets studio_backup read, as which nobody can log in:
-- without a superuser nobody else could make a backup. It changes no statement of another role.
do $$
declare
  policy record;
begin
  for policy in
    select p.relation, p.name
    from (values
      ('locations', 'A studio''s locations are seen and written by that studio alone'),
      ('items', 'A studio''s items are seen and written by that studio alone'),
      ('item_photos', 'A studio''s item photos are seen and written by that studio alone'),
      ('item_valuations', 'A studio''s item valuations are seen and written by that studio alone'),
      ('item_counts', 'A studio''s item counts are seen and written by that studio alone'),
      ('market_values', 'A studio''s market values are seen and written by that studio alone'),
      ('market_value_history', 'A studio''s former market values are seen and written by it alone'),
      ('depreciation_changes', 'A studio''s changes of depreciation are seen and written by it alone'),
      ('closings', 'A studio''s closings are seen and written by that studio alone'),
      ('closed_values', 'A studio''s closed values are seen and written by that studio alone'),
      ('maintenance_records', 'A studio''s maintenance records are seen and written by it alone'),
      ('maintenance_counts', 'A studio''s maintenance counts are seen and written by it alone'),
      ('policies', 'A studio''s policies are seen and written by that studio alone'),
      ('policy_assignments', 'A studio''s policy assignments are seen and written by it alone'),
      ('removals', 'A studio''s removals are seen and written by that studio alone')
    ) as p (relation, name)
  loop
    execute pg_catalog.format('drop policy if exists %I on app.%I', policy.name, policy.relation);
    execute pg_catalog.format($policy$
      create policy %I on app.%I as permissive for all to public
        using (
          studio_id = (select access.current_studio_id())
          and (
            (select session_user in ('studio_api', 'studio_writer'))
            or (select access.current_studio_mask())[studio_hash]
          )
        )
        with check (studio_id = (select access.current_studio_id()))
      $policy$, policy.name, policy.relation);
    execute pg_catalog.format('drop policy if exists "A backup has every row" on app.%I', policy.relation);
    execute pg_catalog.format('create policy "A backup has every row" on app.%I as permissive for select to studio_backup using (true)',
      policy.relation);
  end loop;
end
$$;
