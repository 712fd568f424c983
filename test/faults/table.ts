import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { printTable } from '../support/table.ts'

declare module 'vitest' {
  interface ProvidedContext {
    faultRows: string
  }
}

/** Prints what the tests reported, at their end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-faults-'))
  const file = join(folder, 'rows')
  await writeFile(file, '')
  project.provide('faultRows', file)
  return async () => {
    const lines = (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean)
    printTable(
      'What clients saw',
      lines.map((line) => JSON.parse(line)),
    )
    await rm(folder, { recursive: true })
  }
}

/** Adds a row to the table. */
export async function report(fault: string, saw: string, recovered: string): Promise<void> {
  const row = { fault, 'what clients saw': saw, 'recovered after': recovered }
  await appendFile(inject('faultRows'), `${JSON.stringify(row)}\n`)
}
