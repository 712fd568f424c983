-- The account shows the plan and its period, so the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');

-- Each plan shows either all locations or only the default one.
create or replace trigger change_plan after insert or update of plan on access.subscriptions
  for each row execute function access.change_plan();

-- Nobody can undo a removal.
create or replace trigger keep_archived before insert or update on access.subscriptions
  for each row execute function access.keep_archived();
