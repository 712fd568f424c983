-- The plan of the session's studio now; null without a plan or a studio.
create or replace function access.current_plan() returns text
language sql stable security definer
set search_path = ''
return (
  select access.entitled_plan(s)
  from access.subscriptions s
  where s.studio_id = access.current_studio_id()
);

comment on function access.current_plan() is 'The plan the session''s studio is entitled to: pro, pro_insure or studio.';
