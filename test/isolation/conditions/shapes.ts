/** A view with its columns. */
export type View = { name: string; columns: string[] }

const anyOf = (columns: string[]) => (columns.includes('created_at') ? 'created_at' : columns[0])

/** Ways to put a condition on a view's columns (as those of `t`) into a query. */
export const shapes: Record<string, (view: View, condition: string) => string> = {
  'a filter': ({ name }, condition) => `select from ${name} t where ${condition}`,
  'a UNION ALL': ({ name }, condition) =>
    `select from (select * from ${name} union all select * from ${name}) t where ${condition}`,
  'a UNION ALL within another': ({ name }, condition) =>
    `select from (select * from (select * from ${name} union all select * from ${name}) u union all select * from ${name}) t
     where ${condition}`,
  'a UNION': ({ name, columns }, condition) =>
    `select from (select ${columns} from ${name} union select ${columns} from ${name}) t where ${condition}`,
  'a self-join': ({ name, columns }, condition) =>
    `select from ${name} t join ${name} u on u.${anyOf(columns)} = t.${anyOf(columns)} where ${condition}`,
  'the outer side of a left join': ({ name }, condition) =>
    `select from ${name} t left join (values (1)) o (n) on o.n = 2 where ${condition}`,
  'the condition of a left join': ({ name }, condition) =>
    `select from (values (1), (2)) o (n) left join ${name} t on ${condition}`,
  'a full join': ({ name }, condition) =>
    `select from ${name} t full join (values (1)) o (n) on o.n = length(t::text) where ${condition}`,
  EXISTS: ({ name }, condition) => `select where exists (select from ${name} t where ${condition})`,
  'NOT EXISTS beside a row': ({ name }, condition) =>
    `select from (values (1), (2)) o (n)
     where not exists (select from ${name} t where length(t::text) > o.n and ${condition})`,
  IN: ({ name, columns }, condition) =>
    `select from ${name} o where o.${columns[0]} in (select t.${columns[0]} from ${name} t where ${condition})`,
  LATERAL: ({ name }, condition) =>
    `select from (values (1), (2)) o (n), lateral (select from ${name} t where ${condition} and length(t::text) > o.n) x`,
  HAVING: ({ name, columns }, condition) =>
    `select from ${name} t group by ${columns.map((column) => `t.${column}`)} having ${condition}`,
  'around DISTINCT': ({ name, columns }, condition) =>
    `select from (select distinct ${columns} from ${name}) t where ${condition}`,
  'around a window': ({ name, columns }, condition) =>
    `select from (select *, count(*) over (partition by ${columns}) from ${name}) t where ${condition}`,
  WITH: ({ name }, condition) => `with t as not materialized (select * from ${name}) select from t where ${condition}`,
  'an alternative': ({ name, columns }, condition) =>
    `select from ${name} t where (${condition}) or ${columns.includes('created_at') ? `t.created_at < '2000-01-01'` : `t.${columns[0]} is null`}`,
  'a CASE': ({ name }, condition) => `select from ${name} t where case when ${condition} then true else false end`,
}
