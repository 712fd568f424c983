import { day } from '../cells.ts'
import { type Column, type Kind, type Rule, rowsOf } from './kind.ts'

/** The two columns of a window of time; either end may be open. */
export function windowColumns(what: string): [Column, Column] {
  return [
    { name: 'effective_start', cell: day, description: `First day of ${what}.`, example: '2024-01-01' },
    { name: 'effective_end', cell: day, description: 'Last day; empty when it is open-ended.', example: '2026-12-31' },
  ]
}

/** A window does not end before it starts. */
export function windowRule(kind: Pick<Kind, 'table' | 'key'>): Rule {
  const reads = ['effective_start', 'effective_end']
  return {
    reads,
    errors: ({ final }) => `
      select r.line, 'effective_end', ${final('effective_end')}::text,
        'is before effective_start, ' || ${final('effective_start')}, 'correct one of the two'
      from ${rowsOf(kind, reads)}
      where ${final('effective_end')} < ${final('effective_start')}`,
  }
}
