-- spec: "Issuance and revocation are both written to the studio's audit log." Its rows never
-- change.
create or replace trigger append_only before update or delete on access.audit_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.audit_log
  for each statement execute function access.refuse_change();
