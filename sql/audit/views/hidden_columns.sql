-- No view may show these columns. '*' is the whole table. The writer reads those that it writes.
-- spec: "Never returned for a policy: owner_user_id, source_document_id, notes, studio_id"; "Never
-- returned for an assignment: its own row id, equipment_id, notes, internal timestamps".
create or replace view audit.hidden_columns with (security_invoker = true) as
select listed.relation, column_name
from (values
  ('access.analyst_log', '*'),
  ('access.analyst_logins', '*'),
  ('access.analyst_statements', '*'),
  ('access.audit_log', '*'),
  ('access.console_uploads', '*'),
  ('access.import_choices', '*'),
  ('access.members', '*'),
  ('access.request_activity', '*'),
  ('access.subscriptions', '*'),
  ('access.tokens', '*'),
  ('access.users', '*'),
  ('app.data_versions', '*'),
  ('app.studios', '*'),
  ('app.items', 'manual_value'),
  ('app.item_valuations', 'revalue_on'),
  ('app.market_values', 'source'),
  ('app.depreciation_changes', 'external_key'),
  ('app.policies', 'owner_user_id source_document_id notes external_key'),
  ('app.policy_assignments', 'id notes external_key created_at updated_at')
) as listed (relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name;

comment on view audit.hidden_columns is 'What no view may show; ''*'' is the whole table.';
