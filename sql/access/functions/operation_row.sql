-- The row that an operation returns: it authenticates the request, and reads a single resource.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401, unless only its address was refused
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     the studio, its data version and its day, on which the answer to a request depends.
--               Null when the row lacks a part that could not be read, so that nobody caches it
--   watermark   every change with a stamp before this moment is visible; later than now while the
--               clock is behind (access.current_watermark.until). Null when there was no heartbeat,
--               and with 401
do $$
begin
  if pg_catalog.to_regtype('access.operation_row') is null then
    create type access.operation_row as (
      status smallint,
      token_id uuid,
      plan_tier text,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      watermark timestamptz
    );
  end if;
end
$$;

comment on type access.operation_row is 'The row of an operation: status, token, plan, JSON text, photo keys, version.';
