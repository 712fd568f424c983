-- Judges many tokens in one statement, each with the version that is known of its studio: in their order, what
-- access.judge() says of each. Nothing is read and no session is opened.
create or replace function access.judge_all(token_digests bytea[], known_versions text[]) returns setof access.answer
language sql stable security definer
set search_path = ''
begin atomic
  select judged.*
  from unnest(token_digests, known_versions) with ordinality as asked (digest, version, place)
  cross join lateral access.judge(asked.digest, asked.version) as judged
  order by asked.place;
end;

comment on function access.judge_all(bytea[], text[]) is 'Judges many tokens in one statement, in their order.';
