/** Whether a text is a day of the calendar, from the year 1 on, as `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === text
}

/** The same from 1900 to 2199. */
export function isDay(text: string): boolean {
  return /^(?:19|20|21)/.test(text) && isCalendarDay(text)
}
