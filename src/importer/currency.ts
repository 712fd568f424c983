import type { Hint } from './cells.ts'

const mark = String.raw`\p{Sc}|[A-Za-z]{1,3}\p{Sc}|\p{Sc}[A-Z]{2}|[A-Za-z]{3}|euros?|kr\.?|s?fr\.?|zł|kč`
const before = new RegExp(`^(${mark})[\\s\\u00a0\\u202f]*(?=[\\d.,])`, 'iu')
const after = new RegExp(`(?<=[\\d.,])[\\s\\u00a0\\u202f]*(${mark})$`, 'iu')

/** Takes the sign or code of its currency off an amount. `currency` is undefined if there is none. */
export function splitCurrency(amount: string): { bare: string; currency: string | undefined } {
  const text = amount.trim()
  if (/^[\d.,]*$/.test(text)) return { bare: text, currency: undefined }
  const currency = (before.exec(text) ?? after.exec(text))?.[1]
  return { bare: currency === undefined ? text : text.replace(before, '').replace(after, ''), currency }
}

/** Whether a sign or code (`€`, `US$`, `chf`) can mean a currency, by its code of ISO 4217. */
export function means(sign: string, currency: string): boolean {
  const known = signs.get(currency) ?? signsOf(currency)
  signs.set(currency, known)
  return known.has(sign.toLowerCase().replace(/\.$/, ''))
}

const signs = new Map<string, Set<string>>()

function signsOf(currency: string): Set<string> {
  const known = new Set([
    currency,
    ...(currency === 'CHF' ? ['Fr', 'SFr'] : []),
    ...(currency === 'EUR' ? ['Euro', 'Euros'] : []),
  ])
  for (const locale of ['en', 'en-CA', 'fr', 'de', 'sv', 'nb', 'da', 'pl', 'cs']) {
    for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code'] as const) {
      const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(1)
      known.add(parts.find(({ type }) => type === 'currency')?.value ?? currency)
    }
  }
  return new Set([...known].map((sign) => sign.toLowerCase().replace(/\.$/, '')))
}

/** Says that an amount is in another currency than the studio's. */
export const otherCurrency = (sign: string, currency: string): Hint => ({
  problem: `is in ${sign}, and the studio's currency is ${currency}`,
  remedy: `convert it to ${currency}`,
})
