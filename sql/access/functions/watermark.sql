-- access.current_watermark for the heartbeat, whose role may not read the view.
create or replace function access.watermark() returns timestamptz
language sql stable security definer
set search_path = ''
return (select w.at from access.current_watermark w);

comment on function access.watermark() is 'The moment before which nothing can still become visible to this snapshot.';
