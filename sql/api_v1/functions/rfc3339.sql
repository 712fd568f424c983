-- A moment as the API sends it: RFC 3339 in UTC with three decimals; null stays null.
-- spec: "timestamps are ISO 8601 timestamps".
create or replace function api_v1.rfc3339(moment timestamptz) returns text
language sql stable security invoker
return pg_catalog.to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function api_v1.rfc3339(timestamptz) is 'A moment in RFC 3339, UTC, three decimals.';
