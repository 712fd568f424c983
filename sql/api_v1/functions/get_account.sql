-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(
  token_digest bytea, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      (select coalesce(sum(c.items), 0) from service.item_counts c where c.category = '*' and c.coverage_state = '*')
        as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, inet) is 'GET /account: plan tier, billing period, number of items.';
