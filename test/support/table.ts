/** Rows as a table in Markdown; the names of their fields are its head. */
export function markdownTable(rows: readonly Record<string, string | number>[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const head = Object.keys(rows[0] ?? {})
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(Object.values(row)))].join('\n')
}

/** Prints a table that the documentation has. */
export function printTable(title: string, rows: readonly Record<string, string | number>[]): void {
  console.log(`${title}\n\n${markdownTable(rows)}\n`)
}
