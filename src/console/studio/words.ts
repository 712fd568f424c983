import { coverageLabels } from '../../report/words.ts'
import { type Content, type Html, html } from '../../web/html.ts'

/** An amount for people. @param decimal as PostgreSQL writes it @example '£1,234.50' */
export function money(decimal: string, currency: string): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency })
  return format.format(decimal as Intl.StringNumericLiteral).replace('-', '−')
}

/** Writes an amount beside an axis. @example '£1.2M' */
export const shortMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 }).format(
    amount,
  )

export const number = (count: number): string => new Intl.NumberFormat('en-GB').format(count)

/** A number with its noun. @example '1 item', '1,200 items' */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A day (`YYYY-MM-DD`) for people. @example '31 Mar 2026' */
export const day = (iso: string): string => dayFormat.format(new Date(`${iso}T00:00:00Z`)).replace('Sept', 'Sep')
export const month = (iso: string): string => monthFormat.format(new Date(`${iso}T00:00:00Z`)).replace('Sept', 'Sep')

/** Stands in place of a value that nobody recorded. */
export const nothing: Html = html`<span class="soft">Not recorded</span>`

export const or = (value: string | null, show: (value: string) => Content = (text) => text): Content =>
  value === null || value === '' ? nothing : show(value)

/** A word of a vocabulary for people. @example 'Straight line' */
export function words(term: string): string {
  const spaced = term.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** The states of coverage, and what the colour of each says. */
const tones: Readonly<Record<string, string>> = {
  fully_covered: 'good',
  under_covered: 'warn',
  uninsured: 'bad',
}

export const toneOf = (state: string | null): string => (state !== null && tones[state]) || 'none'

/** @param state null: the valuation is not available */
export const coverageLabel = (state: string | null): string =>
  state === null ? 'Not available' : (coverageLabels[state] ?? state)

export const coverageBadge = (state: string | null): Html =>
  html`<span class="badge ${toneOf(state)}">${coverageLabel(state)}</span>`
