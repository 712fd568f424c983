-- The first eight bytes of the digests of all unrevoked tokens issued since a moment, concatenated,
-- and the moment for the next call. With them a process rejects guesses without a query for each.
-- They authenticate nothing. The function looks back one hour, because a transaction that issues a
-- token may stay open for a while.
create or replace function access.token_prefixes(since timestamptz) returns table (prefixes bytea, next_since timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select
    coalesce(pg_catalog.string_agg(pg_catalog.substr(t.digest, 1, 8), ''::bytea), ''::bytea),
    pg_catalog.now() - interval '1 hour'
  from access.tokens t
  where t.revoked_at is null and t.created_at >= since
$$;

comment on function access.token_prefixes(timestamptz) is
  'The first bytes of the digests of the tokens issued since a moment, to tell them from guesses.';
