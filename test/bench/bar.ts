/** A row of the bar: what was measured, once for each round, and what its median has to be. */
export type Bar = { what: string; values: number[]; unit: '×' | '%' | 'MB' | 's' } & Asked
type Asked = { atLeast: number } | { atMost: number }

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2
}

export function isMet(bar: Bar): boolean {
  const measured = median(bar.values)
  return 'atLeast' in bar ? measured >= bar.atLeast : measured <= bar.atMost
}

/** A row of a table in Markdown: what, the bar, and the median with its range. */
export function rowOf(bar: Bar): string {
  const { what, values, unit } = bar
  const asked = 'atLeast' in bar ? `≥ ${bar.atLeast}` : `≤ ${bar.atMost}`
  const spread = values.length < 2 ? '' : ` (${short(Math.min(...values))} to ${short(Math.max(...values))})`
  const cells = [what.padEnd(62), `${asked} ${unit}`.padEnd(9), `${short(median(values))} ${unit}${spread}`.padEnd(26)]
  return `| ${cells.join(' | ')} | ${isMet(bar) ? 'met' : 'NOT MET'} |`
}

const short = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)
