-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's items are seen and written by that studio alone" on app.items;
create policy "A studio's items are seen and written by that studio alone" on app.items
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
