--! Previous: sha1:ca7f5bdcb200d3dcec3bd1d9b64d2627e9ba25be
--! Hash: sha1:2a26f87a9d724db2fc480ce2a92cd84dcb9066d3
--! Message: vacuum large tables sooner

-- PostgreSQL vacuums a table once a fifth of its rows are dead, 10 million of 50 million items. Until then dead rows stay in its indexes too:
-- no update of an item is HOT, because each moves updated_at, which lists are ordered by, and a fillfactor would not change that.
-- Not analyzed sooner: their columns have no statistics.
set local role studio_owner;

alter table app.items set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table app.item_valuations set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table app.maintenance_records set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

reset role;
