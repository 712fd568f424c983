-- Networks as people write them: without the length for a single address. Null for null.
create or replace function access.address_texts(addresses cidr[]) returns text[]
language sql immutable security invoker
return (
  select pg_catalog.array_agg(
    case when pg_catalog.masklen(a) = case pg_catalog.family(a) when 4 then 32 else 128 end
      then pg_catalog.host(a) else a::text end order by place)
  from unnest(addresses) with ordinality as listed (a, place));

comment on function access.address_texts(cidr[]) is 'Networks as people write them.';
