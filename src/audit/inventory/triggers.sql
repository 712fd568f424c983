-- Triggers, including those of foreign keys, and when each fires: in every session (O, A), only in
-- replication (R), never (D). Also rules and event triggers.
select
  'trigger' as kind,
  format('%s on %s',
    case when t.tgisinternal then format('of constraint %I: %s', coalesce(k.conname, t.tgname), t.tgfoid::regproc)
      else quote_ident(t.tgname) end, r.name) as object,
  jsonb_build_object(
    'fires', t.tgenabled,
    'definition', case when t.tgisinternal then concat_ws(' ', t.tgfoid::regprocedure, t.tgtype, t.tgdeferrable, t.tginitdeferred)
      else pg_get_triggerdef(t.oid) end
  ) as facts
from pg_trigger t
join relations r on r.oid = t.tgrelid
left join pg_constraint k on k.oid = t.tgconstraint
union all
select
  'rule', format('%I on %s', w.rulename, r.name),
  jsonb_build_object('fires', w.ev_enabled, 'definition', pg_get_ruledef(w.oid))
from pg_rewrite w
join relations r on r.oid = w.ev_class
where w.oid >= 16384::oid and (w.rulename <> '_RETURN' or w.ev_enabled <> 'O')
union all
select
  'event trigger', quote_ident(e.evtname),
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'extension', (select x.extension from extended x where x.class = 'pg_event_trigger'::regclass and x.object = e.oid),
    'fires', e.evtenabled,
    'definition', concat_ws(' ', e.evtevent, e.evtfoid::regprocedure)
  ))
from pg_event_trigger e
join named o on o.role = e.evtowner
