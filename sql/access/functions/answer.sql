-- What every operation of the API returns: one row.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   total       number of matching records (lists only)
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      total bigint,
      data text,
      photo_keys text[]
    );
  end if;
end
$$;

comment on type access.answer is 'What an operation of the API returns: status, token, plan, total, JSON text, photo keys.';
