-- What a studio was worth and had declared at the end of each month that is completely closed. For
-- the console.
create or replace view service.closed_months with (security_invoker = true) as
select c.month_end, c.items, c.estimated_value, c.reported_insured_value
from app.closings c
where c.studio_id is not null;

comment on view service.closed_months is 'The sums of each closed month, for the console.';
