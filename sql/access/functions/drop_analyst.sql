-- Drops an analyst's unmapped login (access.unmap_analyst). Runs with the rights of the caller, an
-- administrator. Drops the login's grants in this database and its default privileges. A login that
-- owns something, or has grants in another database, stays, but cannot log in. Returns why, else
-- null. Raises SI404 for an unknown login.
create or replace function access.drop_analyst(login text) returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  reason text;
begin
  execute pg_catalog.format('alter role %I nologin password null', known);
  begin
    -- It would drop what the login owns, too.
    if not exists (
      select from pg_catalog.pg_shdepend d
      where d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and d.refobjid = pg_catalog.to_regrole(pg_catalog.quote_ident(known))
        and d.deptype = 'o' and d.classid <> 'pg_catalog.pg_default_acl'::pg_catalog.regclass)
    then
      execute pg_catalog.format('drop owned by %I', known);
    end if;
  exception when insufficient_privilege then
    null;
  end;
  begin
    execute pg_catalog.format('drop role %I', known);
  exception when dependent_objects_still_exist or insufficient_privilege then
    get stacked diagnostics reason = pg_exception_detail;
    reason := coalesce(nullif(reason, ''), sqlerrm);
  end;
  return reason;
end
$$;

comment on function access.drop_analyst(text) is 'Drops an analyst''s login that is unmapped; for administrators.';
