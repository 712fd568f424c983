-- Flags in pg_class that contradict the other catalogs. The server reads the flag first: with a
-- wrong one it ignores an existing trigger, check or index. Includes the server's own relations.
select r.kind, r.name as object, jsonb_build_object('switched off by hand', w.off) as facts
from relations r
join pg_class c on c.oid = r.oid
cross join lateral (
  select concat_ws(', ',
    case when not c.relhastriggers and exists (select from pg_trigger t where t.tgrelid = c.oid) then 'triggers' end,
    case when not c.relhasrules and exists (select from pg_rewrite u where u.ev_class = c.oid) then 'rules' end,
    case when not c.relhasindex and exists (select from pg_index i where i.indrelid = c.oid) then 'indexes' end,
    case when not c.relhassubclass and exists (select from pg_inherits h where h.inhparent = c.oid) then 'children' end,
    case when c.relchecks <> (select count(*) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') then 'checks' end
  ) as off
) as w
where w.off <> ''
