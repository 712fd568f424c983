-- The number of live items per category and coverage state ('*' is all), in parts to sum. For the
-- REST service.
create or replace view service.item_counts with (security_invoker = true) as
select c.category, c.coverage_state, c.items from app.item_counts c;

comment on view service.item_counts is 'Numbers of items per category and coverage state, in parts to be summed.';
