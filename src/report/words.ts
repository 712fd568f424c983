import type { Heading } from './heading.ts'
import type { Item, ItemPolicy } from './schedule.ts'
import type { Totals } from './totals.ts'

/** The words of a report, the same in every format. */
export const title = 'Schedule of equipment'

/** The API's disclaimers, in the words of the report's columns. */
export const disclaimers = [
  'What is declared, and each gap, reflect valuation status and not insurance adequacy.',
  'A market value is derived from third-party market data and is no guarantee of resale value.',
] as const

/** The words beside the signatures under a printed report. */
export const signatures = [
  'Prepared by (name, place, date, signature)',
  'Received by (name, place, date, signature)',
] as const

export const sourceLabels: Readonly<Record<string, string>> = {
  agreed: 'Agreed value',
  market: 'Market value',
  manual: 'Own estimate',
  depreciated: 'Depreciated',
  purchase_price: 'Purchase price',
  replacement_cost: 'Replacement cost',
  unknown: 'Unknown',
}

export const coverageLabels: Readonly<Record<string, string>> = {
  fully_covered: 'Fully Declared',
  under_covered: 'Under-Declared',
  uninsured: 'Not Declared',
  value_unknown: 'Value Unknown',
}

export const sourceOf = ({ source }: Item): string => (source === null ? '' : (sourceLabels[source] ?? source))
export const declarationOf = ({ coverage }: Item): string =>
  coverage === null ? '' : (coverageLabels[coverage] ?? coverage)

/** The name of a policy in a list. @example 'Studio cover (P-1)' */
function policyName({ name, number, archived }: Pick<ItemPolicy, 'name' | 'number' | 'archived'>): string {
  return `${name}${number === null || number === '' ? '' : ` (${number})`}${archived ? ', archived' : ''}`
}

/** An item's policies, with declared amounts. @example 'Studio cover (P-1): 5000.00; Tour' */
export function policiesOf({ policies }: Item, amount: (decimal: string) => string = (decimal) => decimal): string {
  return policies
    .map((policy) => policyName(policy) + (policy.declared === null ? '' : `: ${amount(policy.declared)}`))
    .join('; ')
}

/** A decimal for people. @example '-1,234.50' */
export function groupDigits(decimal: string): string {
  return decimal.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,').replace('-', '−')
}

const inWords = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A day for people, the same everywhere. @example '31 March 2026' */
export const dayInWords = (day: string): string => inWords.format(new Date(`${day}T00:00:00Z`))

/** Explains the values of a report. */
export function valuesOf({ day, today }: { day: string; today: string }): string {
  const words = dayInWords(day)
  if (day === today) return `Current values on ${words}`
  if (day > today) return `Values expected at the end of ${words}, by what is recorded now`
  return `Values at the end of ${words}: market values known by then, everything else as recorded now`
}

/** The lines below the name of the studio: policy, reader, and the day of the values. */
export function headingLines({ policy, preparedFor, ...heading }: Heading): string[] {
  const { starts, ends } = policy ?? {}
  return [
    ...(policy === null
      ? []
      : [
          `Policy: ${policyLabel(policy)}`,
          `In force from ${starts ? dayInWords(starts) : 'an unknown day'}${ends ? ` to ${dayInWords(ends)}` : ', open-ended'}`,
        ]),
    ...(preparedFor === '' ? [] : [`Prepared for ${preparedFor}`]),
    `${valuesOf(heading)}. All amounts in ${heading.currency}.`,
  ]
}

/** Names the amounts that policies declare: all policies, or the one that the report is about. */
export const underPolicies = ({ policy }: Pick<Heading, 'policy'>): string =>
  policy === null ? 'Declared under policies' : 'Declared under the policy'

/** Names the difference between what policies declare and what the studio reports. */
export const lessReported = ({ policy }: Pick<Heading, 'policy'>): string =>
  `${policy === null ? 'Policies' : 'Policy'} less reported`

/** Writes an amount with a minus, because the headline subtracts it. */
const less = (amount: string) => (Number(amount) === 0 ? amount : `-${amount}`)

/** The headline: the value, and the amounts that add up to it. Those to subtract have a minus;
 * null: not set. */
export function headline(heading: Heading, totals: Totals): { label: string; amount: string | null }[] {
  const { policy } = heading
  const { all } = totals
  const withoutValue = all.without_value_items
  const items = (count: number) => (count === 1 ? '1 item' : `${groupDigits(String(count))} items`)
  const left = totals.policies[0]?.left ?? policy?.limit ?? null
  return [
    { label: `Value of ${items(all.items - withoutValue)}`, amount: all.estimated_value },
    { label: 'Reported as insured', amount: all.reported_insured_value },
    { label: `Reported for ${items(withoutValue)} without a value`, amount: less(all.without_value_declared) },
    { label: 'Under-Declared', amount: all.under_declared },
    { label: 'Not Declared', amount: all.not_declared },
    { label: 'Over-declared', amount: less(all.over_declared) },
    ...(policy === null
      ? []
      : [
          { label: underPolicies(heading), amount: all.declared_under_policies },
          { label: 'Limit of the policy', amount: policy.limit },
          { label: 'Limit less declared', amount: left },
          { label: 'Deductible', amount: policy.deductible },
        ]),
  ]
}

/** The name of a report's file, in ASCII. @example 'equipment-kanal-9-2026-03-31.pdf' */
export function fileName(studio: string, day: string, format: string, policy = ''): string {
  return `${['equipment', plain(studio), plain(policy), day].filter((part) => part !== '').join('-')}.${format}`
}

function plain(text: string): string {
  return text
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
}

/** A policy's name, number and carrier: two carriers may use the same name. */
export function policyLabel(policy: Parameters<typeof policyName>[0] & { carrier: string | null }): string {
  return policyName(policy) + (policy.carrier === null || policy.carrier === '' ? '' : `, ${policy.carrier}`)
}
