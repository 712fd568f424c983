-- Replication slots, which send out this database's changes. Reads them like a setting, with the
-- login's own rights: this release lets nobody call the function below the view.
select 'replication slots' as name, coalesce(pg_catalog.string_agg(s.slot_name, ', ' order by s.slot_name), '') as value
from pg_catalog.pg_replication_slots s
where s.database = pg_catalog.current_database() and not s.temporary
