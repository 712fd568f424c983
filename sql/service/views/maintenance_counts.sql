-- The number of records per status ('*' is all), in parts to sum. For the REST service.
create or replace view service.maintenance_counts with (security_invoker = true) as
select c.status, c.records from app.maintenance_counts c;

comment on view service.maintenance_counts is 'Numbers of maintenance records per status, in parts to be summed.';
