-- Whether an item has no known value, or has not been valued yet: the index items_by_coverage finds
-- both.
create or replace function service.lacks_value(coverage_state text) returns boolean
language sql immutable security invoker
return coverage_state is null or coverage_state = 'value_unknown';

comment on function service.lacks_value(text) is 'Whether an item has no known value.';
