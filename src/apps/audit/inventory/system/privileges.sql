-- Not a query of its own: appended to each of the others, which are `things` here. Adds who may do what.
, held as (
  select t.kind, t.object, a.grantee, string_agg(
    a.privilege_type || case when a.is_grantable then ', may be passed on' else '' end, ', ' order by a.privilege_type) as privileges
  from things t
  cross join lateral aclexplode(coalesce(t.acl, acldefault(t.type, t.owner))) as a
  where a.grantee <> t.owner
  group by t.kind, t.object, a.grantee
), called as (
  select h.kind, h.object, coalesce(n.name, format('role %s that is gone', h.grantee)) as holder,
    string_agg(distinct h.privileges, '; ') as privileges
  from held h
  left join named n on n.role = h.grantee
  group by h.kind, h.object, holder
), told as (
  select c.kind, c.object, jsonb_object_agg('privileges of ' || c.holder, c.privileges) as facts
  from called c
  group by c.kind, c.object
)
select
  t.kind, t.object, t.definition,
  coalesce(p.facts, '{}') || coalesce(
    -- Only these have columns.
    case when t.kind in ('table', 'view') then nullif(to_jsonb(t) -> 'on_columns', 'null') end, '{}') as privileges
from things t
left join told p on p.kind = t.kind and p.object = t.object
