-- Refuses to go on when a move has stopped the writes of a studio (access.accepts_writes). Raises SI503.
create or replace function access.require_writable(studio_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not access.accepts_writes(studio_id) then
    if access.has_left(studio_id) then
      raise exception 'the studio has moved to another cell' using errcode = 'SI503', hint = 'Write to it there.';
    end if;
    raise exception 'the studio is being moved to another cell and cannot be written now' using errcode = 'SI503',
      hint = 'Try again in a few seconds.';
  end if;
end
$$;

comment on function access.require_writable(uuid) is 'Refuses to go on when a move has stopped the writes of a studio.';
