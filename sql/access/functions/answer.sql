-- What every operation of the API returns: one row.
--   status      200, 401, 403, 404 or 410; 304 when the version that the caller knows is still the version, and nothing was read
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   total       number of matching records (lists only)
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     what answers depend on besides the question: the studio, its data version and its day. Null when this
--               answer is not what that version says (a part of it could not be had, or is left out for a moment)
--   last_at, last_id  the key of the page's last row, after which the next page begins (lists only)
--   has_more    whether there is a next page (lists only)
--   watermark   the moment before which nothing can still become visible; null when there was no heartbeat, and with 401
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      total bigint,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      last_at timestamptz,
      last_id uuid,
      has_more boolean,
      watermark timestamptz
    );
  end if;
end
$$;

comment on type access.answer is 'What an operation of the API returns: status, token, plan, total, JSON text, photo keys.';
