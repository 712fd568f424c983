-- What the answers for a studio depend on besides the question, as a text: the studio, its data version, today's date there.
-- Two answers to one question that have the same version are the same.
create or replace function access.data_version(studio app.studios) returns text
language sql stable security invoker
return studio.id || '/'
  || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = studio.id), 0) || '/'
  || (access.clock() at time zone studio.timezone)::date;

comment on function access.data_version(app.studios) is 'The version of everything the API may answer for a studio.';
