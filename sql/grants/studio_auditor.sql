-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;
