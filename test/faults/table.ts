import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    faultRows: string
  }
}

/** A row of the table: the fault, what clients saw, how long it took until all was well. */
type Row = [fault: string, saw: string, recovered: string]

/** Prints what the tests reported, at their end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-faults-'))
  const file = join(folder, 'rows')
  await writeFile(file, '')
  project.provide('faultRows', file)
  return async () => {
    const lines = (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean)
    const rows: Row[] = [['fault', 'what clients saw', 'recovered after']]
    for (const line of lines) rows.push(JSON.parse(line))
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column as 0].length)))
    const text = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    text.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
    console.log(`\n${text.join('\n')}\n`)
    await rm(folder, { recursive: true })
  }
}

/** Adds a row to the table. */
export async function report(fault: string, saw: string, recovered: string): Promise<void> {
  const row: Row = [fault, saw, recovered]
  await appendFile(inject('faultRows'), `${JSON.stringify(row)}\n`)
}
