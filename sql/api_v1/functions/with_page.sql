-- An answer with a page of a list: the documents without the one that tells that there are more, and the key of the last row.
-- The arrays are those of the page's rows and of the one after it; null when there is no row.
create or replace function api_v1.with_page(
  answer access.answer, per_page integer, documents text[], moments timestamptz[], ids uuid[]
) returns access.answer
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  rows_found integer := coalesce(pg_catalog.cardinality(documents), 0);
  shown integer := least(rows_found, per_page);
begin
  answer.has_more := rows_found > per_page;
  answer.data := coalesce(pg_catalog.array_to_string(documents[1:shown], ','), '');
  answer.last_at := moments[shown];
  answer.last_id := ids[shown];
  return answer;
end
$$;

comment on function api_v1.with_page(access.answer, integer, text[], timestamptz[], uuid[]) is
  'An answer with a page of a list, and whether there are more.';
