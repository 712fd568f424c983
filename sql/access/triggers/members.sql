-- The trigger of access.members: while a move has stopped the writes of a studio, its members stay as they are.
create or replace trigger a_accept before insert or update or delete on access.members
  for each row execute function access.require_writable_studio('studio_id');
