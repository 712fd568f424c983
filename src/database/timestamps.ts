/** An SQL expression that formats a timestamptz as RFC 3339 in UTC with milliseconds. */
export function utc(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
