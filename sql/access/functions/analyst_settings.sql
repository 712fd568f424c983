-- The settings of an analyst's login: defaults that it may change, and those that it may not
-- (from temp_file_limit on: only superusers and roles with the right to set them). The server's log
-- would repeat a text of any length with each execution and each error, so it has neither; what
-- analysts ask is in access.analyst_statements, by the number that compute_query_id gives it.
create or replace function access.analyst_settings(studio_id uuid, statement_limit interval) returns table (name text, value text)
language sql stable security invoker
set search_path = ''
begin atomic
  select s.name, s.value
  from (values
    ('search_path', 'api_v1'),
    ('TimeZone', (select t.timezone from app.studios t where t.id = analyst_settings.studio_id)), -- for current_date
    ('default_transaction_read_only', 'on'),
    ('statement_timeout', pg_catalog.round(extract(epoch from statement_limit) * 1000)::text),
    ('idle_in_transaction_session_timeout', pg_catalog.round(extract(epoch from statement_limit) * 1000)::text),
    ('temp_file_limit', '1GB'),
    ('log_min_messages', 'fatal'),
    ('log_min_error_statement', 'panic'),
    ('compute_query_id', 'on')
  ) as s (name, value);
end;

comment on function access.analyst_settings(uuid, interval) is 'What an analyst''s login is set to.';
