-- What authenticates a request, and reads a single resource, returns: one row.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401, unless only its address was refused
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     what answers depend on besides the question: the studio, its data version and its
--               day. Null when this answer is not what that version says, because a part of it
--               could not be read
--   watermark   every change before this moment is visible; null when there was no heartbeat, and
--               with 401
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
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

comment on type access.answer is 'What reads a resource returns: status, token, plan, JSON text, photo keys, version.';
