import { minorUnits } from '../domain/vocabulary.ts'
import type { Heading } from './heading.ts'

/** The statement of a cursor takes no parameters, so the day is part of its text. It was checked
 * before. */
export const dateLiteral = (day: string) => `date '${day}'`

/** Where the items come from: for today the API's list, for another day the inventory at its end. A
 * report about one policy has only the items that `cover` has. */
export function itemsOn({ day, today, policy }: Heading): string {
  const all = day === today ? 'api_v1.items' : `api_v1.items_on(${dateLiteral(day)})`
  return policy === null ? all : `(select * from ${all} as every where every.id in (select item_id from cover))`
}

/** Gives an amount the decimals of the currency, because the sum of no rows has none. */
export const settled = (amount: string, { currency }: Pick<Heading, 'currency'>) =>
  `round(${amount}, ${minorUnits(currency)})`

/** The columns of a `Policy`, from api_v1.policies, which the statement calls p. */
export const policyColumns = (heading: Pick<Heading, 'currency'>) => `
    p.id, p.name, p.policy_number as number, p.carrier, p.archived, p.effective_start as starts, p.effective_end as ends,
    ${settled('p.overall_limit', heading)} as limit, ${settled('p.deductible', heading)} as deductible`

/** What is declared on a day, with names of the policies. */
export const coverOn = ({ day, policy }: Pick<Heading, 'day' | 'policy'>): string => `
    select c.*, p.name, p.policy_number, p.archived
    from api_v1.cover_on(${dateLiteral(day)}${policy === null ? '' : `, '${policy.id}'`}) c
    join api_v1.policies p on p.id = c.policy_id`

export const declaredByItem = `
    declared as materialized (
      select c.item_id, sum(c.declared_value) as amount, json_agg(json_build_object('name', c.name, 'number', c.policy_number,
        'declared', c.declared_value::text, 'archived', c.archived) order by c.is_primary desc, c.name, c.policy_id) as policies
      from cover c group by c.item_id
    )`
