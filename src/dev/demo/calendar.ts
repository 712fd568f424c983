const DAY_MS = 86_400_000

/** The moment `days` days after `now`. */
export function daysFrom(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY_MS)
}

/** The UTC calendar date `days` days after `now`, as YYYY-MM-DD. */
export function dateFrom(now: Date, days: number): string {
  return daysFrom(now, days).toISOString().slice(0, 10)
}
