-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none): in
-- their order, what access.authenticate_token() says of each. Nothing is read and no session is opened.
create or replace function access.authenticate_tokens(token_digests bytea[], validators text[]) returns setof access.answer
language sql stable security definer
set search_path = ''
begin atomic
  select answered.*
  from unnest(token_digests, validators) with ordinality as asked (digest, validator, place)
  cross join lateral access.authenticate_token(asked.digest, asked.validator) as answered
  order by asked.place;
end;

comment on function access.authenticate_tokens(bytea[], text[]) is 'Authenticates many tokens in one statement, in their order.';
