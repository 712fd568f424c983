import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { csvWork, unreadable } from '../../../src/importer/csv/work.ts'
import type { Kind } from '../../../src/importer/kinds/kind.ts'
import { openSource } from '../../../src/importer/open-source.ts'
import { noProgress } from '../../../src/importer/progress.ts'
import { UnreadableFile } from '../../../src/importer/row-errors.ts'

/** So many files of each kind are tried; the nightly run tries more. */
export const runs = Number(process.env.TEST_FUZZ_RUNS ?? 15)
const counts: Record<string, Record<string, number>> = {}
export const count = (what: string, ended: string) => {
  counts[what] ??= {}
  counts[what][ended] = (counts[what][ended] ?? 0) + 1
}

let folder: string
let files = 0
/** To be called at the top of a test file that reads random files. */
export function useFuzz(): void {
  vi.setConfig({ testTimeout: 30_000 + runs * 300 })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'studio-inventory-fuzz-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    if (process.env.TEST_FUZZ_RUNS !== undefined) console.info(counts, process.resourceUsage().maxRSS / 1024)
  })
}

/** What would be written, by line, and what is wrong, as line and column. */
export type Read = { rows: Map<number, (string | null)[]>; errors: { line: number; column: string | null }[] }

const unescaped = (text: string) =>
  text === '\\N'
    ? null
    : text.replace(/\\(.)/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter)

/** Reads a file as an import does, up to the database. Everything but a refusal is thrown. */
export async function read(bytes: Buffer, kind: Kind): Promise<Read> {
  files += 1
  const path = join(folder, String(files))
  await writeFile(path, bytes)
  const found: Read = { rows: new Map(), errors: [] }
  const fail = ({ line, column }: { line: number | null; column: string | null }) =>
    found.errors.push({ line: line ?? 0, column })
  const copyIn = async (statement: string, text: string) => {
    for (const line of text.split('\n').slice(0, -1)) {
      const [first, second = null, ...values] = line.split('\t').map(unescaped)
      if (statement.includes('import_row_errors')) fail({ line: Number(first), column: second })
      else if (second === null) found.rows.set(Number(first), values)
    }
  }
  const began = process.cpuUsage()
  try {
    const source = await openSource(path, kind, {})
    try {
      for (const error of source.header.errors) fail(error)
      if (found.errors.length === 0)
        await csvWork(kind, source).stage({ copyIn } as never, noProgress, { timezone: 'UTC', currency: 'EUR' })
    } finally {
      source.close()
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    fail(unreadable(error))
  }
  await rm(path)
  const { user, system } = process.cpuUsage(began)
  expect(user + system).toBeLessThan(2_000_000)
  return found
}
