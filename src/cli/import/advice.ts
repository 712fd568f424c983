import type { Outcome } from '../../apps/importer/run.ts'
import type { Begun } from './foreign.ts'

/** What would help with the whole file, where it is in another form than the importer takes by itself. */
export function advice(
  { errors, looksLike, unknownCategories }: Outcome,
  begun: Begun,
  makeLocations: boolean,
): string[] {
  const has = (column: string, problem: string) =>
    errors.causes.some((cause) => (column === '' || cause.column === column) && cause.problem.startsWith(problem))
  const lines: string[] = []
  if (errors.count > 0 && looksLike) {
    lines.push(`The file looks like an export of ${looksLike.title}: add --from ${looksLike.option}`)
  }
  if (has('', 'is not an ISO date')) {
    lines.push('If the file writes dates in another form, say which: --dates dd/mm/yyyy, mm/dd/yyyy, dd.mm.yyyy …')
  }
  if (has('', 'has a decimal comma')) lines.push('If the file writes decimals with a comma: --decimal comma')
  if (has('', 'has a thousands separator')) {
    lines.push('If the file separates thousands, say which its decimal mark is: --decimal point, or comma')
  }
  if (has('location', 'names nothing')) {
    lines.push(
      makeLocations
        ? 'Locations are made for names, not for ids, and on the Studio plan only: other plans have one'
        : 'To make the locations that are missing: --make-locations',
    )
  }
  if (begun) {
    lines.push(`Begun ${begun.path} with ${begun.categories === 1 ? '1 category' : `${begun.categories} categories`}.`)
    lines.push(
      'Write which of ours each is in the column "ours", and import again. Ours:',
      ...begun.ours.map((name) => `  ${name}`),
    )
  } else if (has('category', 'is not one of the values') && (unknownCategories?.size ?? 0) > 0) {
    lines.push('To map categories onto ours: --categories FILE; if there is no such file, it is begun for you')
  }
  return lines
}
