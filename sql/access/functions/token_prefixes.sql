-- The first eight bytes of the digest of every token that was issued since a moment and is not
-- revoked, one after the other, and the moment to ask with next. With them a process tells tokens
-- that may be good from guesses, without asking for each. They authenticate nothing, and say no
-- more of a token than its digest does. The hour is for transactions that issue and stay open.
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
