/** Prints a table that the documentation has; the names of the rows' fields are its head. */
export function printTable(title: string, rows: readonly Record<string, string | number>[]): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const head = Object.keys(rows[0] ?? {})
  const table = [line(head), line(head.map(() => '---')), ...rows.map((row) => line(Object.values(row)))]
  console.log(`${title}\n\n${table.join('\n')}\n`)
}
