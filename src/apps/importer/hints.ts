import { isCalendarDay } from '../../domain/day.ts'

/** What is wrong with a cell, and what would be right. */
export type Hint = { problem: string; remedy: string }

const spaces = /[\s\u00a0\u202f'’]/g

/** Why a text is not an amount: nothing is guessed, but the likely meaning is suggested. */
export function amountHint(text: string): Hint {
  const bare = text.replace(/^(?:[A-Z]{3}|\p{Sc})\s*|\s*(?:[A-Z]{3}|\p{Sc})$/gu, '')
  if (bare !== text) {
    return {
      problem: 'has a currency in it',
      remedy: `write the number alone${/^\d+(\.\d\d?)?$/.test(bare) ? `: ${bare}` : ''}`,
    }
  }
  if (/^(?:-|−|\(.*\)$)/.test(text)) return { problem: 'is negative', remedy: 'write an amount of 0 or more' }
  if (/^\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(text)) {
    return { problem: 'was shortened by the spreadsheet', remedy: 'format the column as a number and write all digits' }
  }
  return separatorHint(text) ?? { problem: 'is not an amount', remedy: 'write a number such as 1234.50' }
}

function separatorHint(text: string): Hint | undefined {
  const compact = text.replace(spaces, '')
  if (/^\d{1,3}(?:\.\d{3})*,\d{1,2}$|^\d+,\d{1,2}$/.test(compact)) {
    return { problem: 'has a decimal comma', remedy: `write ${compact.replaceAll('.', '').replace(',', '.')}` }
  }
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/.test(compact)) {
    return { problem: 'has a thousands separator', remedy: `write ${compact.replaceAll(',', '')}` }
  }
  if (compact !== text && /^\d+(?:\.\d{1,2})?$/.test(compact)) {
    return { problem: 'has a space or an apostrophe in it', remedy: `write ${compact}` }
  }
  if (/^\d{1,3}(?:\.\d{3})+$/.test(compact)) {
    return {
      problem: 'has a thousands separator, or more than two decimals',
      remedy: `write ${compact.replaceAll('.', '')}, or round it to two decimals`,
    }
  }
  if (/^\d*\.\d{3,}$/.test(compact))
    return { problem: 'has more than two decimals', remedy: 'round it to two decimals' }
  if (/^[\d.,]*,[\d.,]*$/.test(compact)) {
    return { problem: 'has a comma', remedy: 'write a decimal point and no thousands separators, such as 1234.50' }
  }
  return undefined
}

/** Why a text is not a date. A day and a month that could be swapped are not guessed. */
export function dateHint(text: string): Hint {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { problem: 'is not a day of the calendar', remedy: 'correct the day' }
  if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return { problem: 'has a time', remedy: `write ${text.slice(0, 10)}` }
  if (/^\d{5}$/.test(text)) {
    return {
      problem: "is the spreadsheet's number of a day",
      remedy: 'format the column as a date, YYYY-MM-DD',
    }
  }
  const parts = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/.exec(text)
  const suggestions = parts ? datesOf(parts[1] ?? '', parts[3] ?? '', parts[4] ?? '') : []
  const remedy = suggestions.length > 0 ? `write ${suggestions.join(' or ')}` : 'write YYYY-MM-DD, such as 2024-12-31'
  return { problem: 'is not an ISO date', remedy }
}

/** The ISO dates that three numbers can mean. */
function datesOf(first: string, second: string, third: string): string[] {
  const possible: [string, string, string][] =
    first.length === 4
      ? [[first, second, third]]
      : third.length === 4
        ? [
            [third, second, first],
            [third, first, second],
          ]
        : []
  const dates = possible.map(([year, month, day]) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
  return [...new Set(dates.filter(isCalendarDay))]
}
