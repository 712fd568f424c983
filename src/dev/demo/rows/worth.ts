import { dateFrom } from '../calendar.ts'
import type { Model } from '../catalogue/model.ts'
import type { Random } from '../random.ts'

/** What a studio knows and declares about the value of an item. Money is in the studio's currency. */
export type Worth = {
  purchase_price: number
  acquisition_date: string | null
  depreciation_method: 'none' | 'straight_line' | 'declining_balance' | 'double_declining_balance'
  useful_life_months: number | null
  residual_value: number | null
  manual_value: number | null
  replacement_cost: number | null
  reported_insured_value: number
  market: { estimate: number; as_of: string } | null
}

const methods = ['straight_line', 'declining_balance', 'double_declining_balance'] as const

/** What the value rests on, with how often it does. The database draws the same conclusion from the fields. */
const bases = [
  ['market', 0.42],
  ['manual', 0.13],
  ['depreciated', 0.25],
  ['purchase', 0.08],
  ['replacement', 0.05],
  ['unknown', 0.07],
] as const

function basisOf(random: Random): (typeof bases)[number][0] {
  let left = random.next()
  for (const [basis, share] of bases) {
    left -= share
    if (left < 0) return basis
  }
  return 'market'
}

/** A price as a shop or an invoice has it: pounds and pence below 500, else a whole number of fives. */
function priced(amount: number): number {
  return amount < 500 ? Math.round(amount * 100) / 100 : Math.round(amount / 5) * 5
}

/**
 * Makes up what was paid for a model, how it is written off, what the market says and what was declared to the insurer,
 * so that all value sources and all four coverage states occur. `rate` is the studio's currency for a pound.
 */
export function makeWorth(model: Model, rate: number, random: Random, now: Date): Worth {
  const [, , pounds, tags] = model
  const vintage = tags.includes('vintage')
  const price = priced(pounds * rate * (0.82 + random.next() * 0.22))
  const basis = basisOf(random)
  const inherited = basis === 'unknown' || basis === 'replacement'
  const acquired = random.chance(inherited ? 0.5 : 0.03)
    ? null
    : dateFrom(now, -random.between(40, vintage ? 6200 : 3900))
  const writtenOff = basis === 'depreciated' || (basis !== 'purchase' && !inherited && random.chance(0.5))
  const own = writtenOff && random.chance(0.3)

  const market =
    basis === 'market' ? priced(price * (vintage ? 1.05 + random.next() * 0.6 : 0.5 + random.next() * 0.45)) : null
  const manual = basis === 'manual' || random.chance(0.05) ? priced(price * (0.7 + random.next() * 0.5)) : null
  const replacement = basis === 'replacement' ? priced(pounds * rate * 1.1) : null
  const worth = market ?? manual ?? (inherited ? replacement : price)
  return {
    purchase_price: inherited ? 0 : price,
    acquisition_date: basis === 'depreciated' && !acquired ? dateFrom(now, -400) : acquired,
    depreciation_method: writtenOff ? random.pick(methods) : 'none',
    useful_life_months: own ? random.pick([36, 60, 84, 120]) : null,
    residual_value: own ? priced(price * 0.1) : null,
    manual_value: basis === 'unknown' ? null : manual,
    replacement_cost: replacement,
    reported_insured_value: declared(basis === 'unknown' ? null : worth, basis === 'depreciated', random),
    market: market === null ? null : { estimate: market, as_of: asOf(random, now) },
  }
}

/** What was declared: nothing, too little, or the worth rounded up. A written-off item is declared at its price. */
function declared(worth: number | null, writtenOff: boolean, random: Random): number {
  if (worth === null) return random.chance(0.3) ? 500 : 0
  const choice = random.next()
  if (choice < 0.2) return 0
  if (choice < 0.45 && !writtenOff) return Math.max(10, Math.floor((worth * (0.45 + random.next() * 0.4)) / 10) * 10)
  return Math.ceil((worth * (1 + random.next() * 0.12)) / 10) * 10
}

/** When the market was last asked: some night within the last seven weeks. */
function asOf(random: Random, now: Date): string {
  return `${dateFrom(now, -random.between(1, 50))}T0${random.between(1, 4)}:${random.between(10, 59)}:00Z`
}
