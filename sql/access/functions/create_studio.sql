-- Creates a studio with its default location, its owner (a new user for a new e-mail) and an active
-- subscription that renews each month. Returns the studio's id. Raises 22023 for an unknown time
-- zone; the tables' checks refuse the rest.
create or replace function access.create_studio(
  name text, owner_email text, owner_name text,
  plan text default 'studio', timezone text default 'UTC', currency text default 'EUR'
) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  outer_studio text := pg_catalog.current_setting('studio.id', true);
begin
  -- studio_hash is unique, so that policies can compare it first. If an id's hash is taken (once in
  -- two thousand among a million studios), tries another id.
  while studio is null loop
    insert into app.studios as s (name, timezone, currency)
    values (create_studio.name, create_studio.timezone, create_studio.currency)
    on conflict (studio_hash) do nothing
    returning s.id into studio;
  end loop;
  perform access.set_subscription(studio, create_studio.plan, 'active', renews => 'month');
  perform access.add_member(studio, owner_email, owner_name, 'owner');

  perform access.enter_studio(studio);
  insert into app.locations (studio_id, name, is_default) values (studio, create_studio.name, true);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return studio;
end
$$;

comment on function access.create_studio(text, text, text, text, text, text) is
  'Creates a studio with its owner, an active subscription and its default location; returns its id.';
