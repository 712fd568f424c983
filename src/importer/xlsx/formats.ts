/** The effect of a number format: the number (`general`), at least this many digits, another form,
 * a day, only a time, or something unknown. */
export type Format = 'general' | { digits: number } | { currency: string } | 'number' | 'day' | 'time' | 'unknown'

/** The formats without a code in ECMA-376. Those that differ by country are unknown. */
export function builtIn(id: number): Format {
  if (id === 0 || id === 49) return 'general'
  if (id === 1) return { digits: 1 }
  if ((id >= 14 && id <= 17) || [22, 27, 28, 29, 30, 31, 36, 50, 51, 54, 57, 58].includes(id)) return 'day'
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47) || id === 32 || id === 33) return 'time'
  return (id >= 2 && id <= 8) || (id >= 11 && id <= 13) || (id >= 37 && id <= 48) ? 'number' : 'unknown'
}

/** The effect of a code such as `#,##0.00` or `yyyy-mm-dd` on a number above 0. */
export function formatOf(code: string): Format {
  if (/^#*0*$/.test(code)) return code === '' ? 'general' : { digits: code.replaceAll('#', '').length }
  if (/^(?:general|@)$/i.test(code)) return 'general'
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./gsu, '')
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return 'time'
  if (/\[[<>=]/.test(bare)) return 'unknown'
  const shown = (bare.replace(/\[[^\]]*\]/g, '').split(';')[0] ?? '').trim()
  if (/^(?:general|@)$/i.test(shown)) return 'number'
  // Percent multiplies the shown number by 100; a comma after the digits divides it by 1,000.
  if (/%|[0#?],+(?![0#?,])/.test(shown)) return 'unknown'
  if (/[0#?]/.test(shown) && !/[a-z]/i.test(shown.replace(/E[+-]/, ''))) {
    const currency = currencyIn(code)
    return currency === undefined ? 'number' : { currency }
  }
  const units = shown.replace(/am\/pm|a\/p/gi, 'h')
  if (!/[ymdhsge]/i.test(units) || /[#?]|[a-z]/i.test(units.replace(/[ymdhsgeb]/gi, ''))) return 'unknown'
  return /[yde]/i.test(units) || !/[hs]/i.test(units) ? 'day' : 'time'
}

/** The sign or code that a number format shows with an amount, such as `€`, `$` or `CHF`. */
function currencyIn(code: string): string | undefined {
  const [, bracketed] = /\[\$([^\]-]+)(?:-[^\]]*)?\]/.exec(code) ?? []
  if (bracketed?.trim()) return bracketed.trim()
  const [, quoted] = /"\s*(\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\p{Sc}|kr\.?)\s*"/u.exec(code) ?? []
  return quoted ?? /\p{Sc}/u.exec(code)?.[0]
}
