-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;

-- Names of logins alone, for audit.analyst_mapping_changed.
grant execute on function access.misdirected_analysts to studio_auditor;
