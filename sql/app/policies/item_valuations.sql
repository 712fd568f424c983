-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's item valuations are seen and written by that studio alone" on app.item_valuations;
create policy "A studio's item valuations are seen and written by that studio alone" on app.item_valuations
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
