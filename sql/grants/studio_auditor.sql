-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;

-- audit.analyst_mapping_changed reads only the names of the logins.
grant execute on function access.misdirected_analysts to studio_auditor;
