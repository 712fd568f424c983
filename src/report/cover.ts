import { minorUnits } from '../domain/vocabulary.ts'
import type { Heading } from './heading.ts'

/** A cursor's statement takes no parameters, so the checked day goes into its text. */
export const dateLiteral = (day: string) => `date '${day}'`

/** The studio's items: today as the API shows them, else as at the end of the day. Of one policy
 * those that `cover` has. */
export function itemsOn({ day, today, policy }: Heading): string {
  const all = day === today ? 'api_v1.items' : `api_v1.items_on(${dateLiteral(day)})`
  return policy === null ? all : `(select * from ${all} as every where every.id in (select item_id from cover))`
}

/** An amount with the decimals of the currency: a sum of none has them, too. */
export const settled = (amount: string, { currency }: Pick<Heading, 'currency'>) =>
  `round(${amount}, ${minorUnits(currency)})`

/** Policies whose dates include the day. From today on, omits archived ones; earlier reports mark
 * them, as nothing says when they were archived. */
export const inForce = ({ day, today }: Pick<Heading, 'day' | 'today'>) =>
  `p.effective_start <= ${dateLiteral(day)} and coalesce(p.effective_end, 'infinity') >= ${dateLiteral(day)}
      and (not p.archived or ${dateLiteral(day)} < ${dateLiteral(today)})`

/** The cover of items on a day, with the policies. */
export const coverOn = ({ day, policy }: Pick<Heading, 'day' | 'policy'>): string => `
    select c.item_id, c.declared_value, c.is_primary, c.policy_id, p.name, p.policy_number, p.carrier, p.archived,
      p.effective_start, p.effective_end, p.overall_limit, p.deductible
    from api_v1.cover_on(${dateLiteral(day)}${policy === null ? '' : `, '${policy.id}'`}) c
    join api_v1.policies p on p.id = c.policy_id`

export const declaredByItem = `
    declared as materialized (
      select c.item_id, sum(c.declared_value) as amount, json_agg(json_build_object('name', c.name, 'number', c.policy_number,
        'declared', c.declared_value::text, 'archived', c.archived) order by c.is_primary desc, c.name, c.policy_id) as policies
      from cover c group by c.item_id
    )`
