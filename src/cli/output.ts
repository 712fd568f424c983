/** Writes lines to standard output: the answer of a command. */
export function print(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}

/** Writes a line to standard error: what goes along with an answer. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes a value as JSON to standard output. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/**
 * Lays out rows as a table: a line of headings, columns aligned and two spaces apart. Columns named in `numeric` are
 * aligned to the right. Null is shown as a dash.
 */
export function table<Row extends Record<string, unknown>>(
  rows: readonly Row[],
  headings: Readonly<Record<string, string>>,
  numeric: readonly string[] = [],
): string[] {
  const columns = Object.entries(headings).map(([name, heading]) => {
    const cells = [heading, ...rows.map((row) => cell(row[name]))]
    const width = Math.max(...cells.map((text) => [...text].length))
    return cells.map((text) => {
      const space = ' '.repeat(width - [...text].length)
      return numeric.includes(name) ? space + text : text + space
    })
  })
  return [rows.length, ...rows].map((_, line) =>
    columns
      .map((cells) => cells[line])
      .join('  ')
      .trimEnd(),
  )
}

/** A value on one line: a name with a line break in it must not break the table. */
function cell(value: unknown): string {
  return value === null || value === undefined || value === '' ? '-' : String(value).replace(/\p{Cc}+/gu, ' ')
}

/** A timestamp as people read it: to the second, in UTC. */
export function readable(timestamp: string | null, absent = '-'): string {
  return timestamp === null ? absent : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`
}
