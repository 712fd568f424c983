-- Turns the public API on or off for a studio. While it is off, the service issues and accepts no
-- tokens, and the console has no page for them. Raises SI404 for a studio without a subscription.
-- spec: "a tab shown only when the public API feature is enabled".
create or replace function access.set_public_api(studio_id uuid, enabled boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update access.subscriptions s set public_api = set_public_api.enabled where s.studio_id = set_public_api.studio_id;
  if not found then
    raise exception 'the studio has no subscription' using errcode = 'SI404';
  end if;
end
$$;

comment on function access.set_public_api(uuid, boolean) is
  'Turns the public API on or off for a studio; it takes effect with the next request.';
