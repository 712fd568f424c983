import type pg from 'pg'
import { constantOf } from './values.ts'

/** `$c` is the column, `$v` a value of its type, `$o` an object with that value as a key.
 * PostgreSQL trusts `trusted` ones not to leak. */
export type Expression = { text: string; result: string; trusted: boolean; nested?: true }

type Row = Omit<Expression, 'text' | 'nested'>

/** Every expression of one column by one operator, function or cast that this login may use. */
export async function expressionsOf(client: pg.Client, type: string): Promise<Expression[]> {
  const accepted = await acceptedBy(client, type)
  const { rows: operators } = await client.query<{ name: string; left: string | null; right: string } & Row>(
    `select o.oprname as name, nullif(o.oprleft, 0)::regtype::text as left, o.oprright::regtype::text as right,
       o.oprresult::regtype::text as result, p.proleakproof as trusted
     from pg_operator o join pg_proc p on p.oid = o.oprcode
     where has_function_privilege(p.oid, 'EXECUTE')
       and (o.oprleft::regtype::text = any ($1) or o.oprright::regtype::text = any ($1))`,
    [accepted],
  )
  const { rows: functions } = await client.query<{ name: string; parameters: string[] } & Row>(
    `select p.oid::regproc::text as name, p.prorettype::regtype::text as result, p.proleakproof as trusted,
       array(select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, n) order by n) as parameters
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where p.prokind = 'f' and not p.proretset and p.pronargs between 1 and 4
       and has_function_privilege(p.oid, 'EXECUTE') and has_schema_privilege(n.oid, 'USAGE')
       and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
       and not ('internal'::regtype = any (p.proargtypes::oid[]))
       and exists (select from unnest(p.proargtypes) t where format_type(t, null) = any ($1))`,
    [accepted],
  )
  const { rows: targets } = await client.query<{ type: string; trusted: boolean }>(
    `select t.oid::regtype::text as type,
       exists (select from pg_cast c left join pg_proc p on p.oid = c.castfunc
         where c.castsource = $1::regtype and c.casttarget = t.oid and coalesce(p.proleakproof, true)) as trusted
     from pg_type t
     where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b', 'd', 'r', 'm') and t.typisdefined
       and (exists (select from pg_cast c where c.castsource = $1::regtype and c.casttarget = t.oid)
         or 'text'::regtype in ($1::regtype, t.oid) or $1::regtype = t.oid)`,
    [type],
  )
  const argument = (parameter: string) => (/^any/.test(parameter) ? '$v' : constantOf(parameter))
  return [
    { text: '$c', result: type, trusted: true },
    ...operators.flatMap(({ name, left, right, ...rest }) => {
      const operator = `operator(pg_catalog.${name})`
      const other = (type: string | null) => (type === null ? '' : left === right ? '$v' : argument(type))
      return [
        ...(left !== null && accepted.includes(left) ? [{ text: `($c ${operator} ${other(right)})`, ...rest }] : []),
        ...(accepted.includes(right) ? [{ text: `(${other(left)} ${operator} $c)`, ...rest }] : []),
      ]
    }),
    ...functions.flatMap(({ name, parameters, ...rest }) =>
      parameters.flatMap((parameter, at) =>
        accepted.includes(parameter)
          ? [{ text: `${name}(${parameters.map((p, n) => (n === at ? '$c' : argument(p))).join(', ')})`, ...rest }]
          : [],
      ),
    ),
    ...targets.map(({ type, trusted }) => ({ text: `($c)::${type}`, result: type, trusted })),
  ]
}

/** Expressions of expressions: casts of what PostgreSQL trusts, and free ones around it. */
export function nestedIn(expressions: readonly Expression[]): Expression[] {
  const types = ['text', 'integer', 'jsonb', 'boolean']
  return expressions
    .filter(({ trusted, text }) => trusted && text !== '$c')
    .flatMap((inner) => [
      ...types
        .filter((type) => type !== inner.result && (type === 'text' || inner.result === 'text'))
        .map((type) => ({ ...inner, text: `(${inner.text})::${type}`, result: type, nested: true as const })),
      { ...inner, text: `(case when $c is null then null else ${inner.text} end)`, nested: true },
    ])
}

/** The types of parameters that take a value of this type. */
async function acceptedBy(client: pg.Client, type: string): Promise<string[]> {
  const { rows } = await client.query<{ type: string }>(
    `select casttarget::regtype::text as type from pg_cast
     where castsource = $1::regtype and (castcontext = 'i' or castmethod = 'b')`,
    [type],
  )
  const polymorphic = ['anyelement', 'anycompatible', 'anynonarray', 'anycompatiblenonarray', '"any"']
  const arrays = type.endsWith('[]') ? ['anyarray', 'anycompatiblearray'] : []
  return [type, ...rows.map((row) => row.type), ...polymorphic, ...arrays]
}

/** Makes conditions of an expression: the expression itself, and with free parts around it. */
export function conditionsOf({ text, result }: Pick<Expression, 'text' | 'result'>): string[] {
  const conditions = [`${text} is not null`]
  if (result === 'boolean') conditions.push(text)
  if (result === 'text') conditions.push(`($o)[${text}] is not null`)
  if (result === 'integer') conditions.push(`('[-2:2]={0,1,2,3,4}'::int[])[${text}] is not null`)
  if (result.endsWith('[]')) conditions.push(`(${text})[1] is not null`, `(${text})[8] is null`)
  if (result === 'jsonb') conditions.push(`(${text})['a'] is not null`)
  if (result === 'point') conditions.push(`(${text})[0] is not null`)
  if (text !== '$c') return conditions
  return conditions.flatMap((condition) => [
    condition,
    `not (${condition})`,
    `(${condition}) is not true`,
    `case when ${condition} then true else false end`,
    `(array[${condition}])[1]`,
    `row(${condition}, true) is not null`,
    `((${condition}) or $c is null)`,
  ])
}
