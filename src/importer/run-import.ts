import type { Transaction } from '../database/session.ts'
import type { Changes } from './changes.ts'
import { rowsImport, unreadable } from './csv/import-rows.ts'
import { translator } from './foreign/categories.ts'
import type { Suggestion } from './foreign/meanings.ts'
import { looksLike } from './foreign/tools.ts'
import type { ImportJob, ImportPlan } from './import-job.ts'
import { openSource } from './open-source.ts'
import { photosImport } from './photos/import-photos.ts'
import { counted, noProgress, type Progress } from './progress.ts'
import { collectErrors, type Findings, noFindings, reportErrors, UnreadableFile } from './row-errors.ts'
import { openImport, withStudioWriter } from './staging.ts'
import { archiveMissing, countMissing, refusedRows } from './write.ts'

/** The result of an import, or of a dry run. */
export type Outcome = {
  rows: number
  added: number
  changed: number
  unchanged: number
  archived: number
  /** The errors of the file. With any error, nothing was written. */
  errors: Findings
  /** Notes about a file without errors. */
  notes: string[]
  /** The person declined archiving, so nothing was written. */
  declined: boolean
  /** Unknown categories, with the number of their rows. */
  unknownCategories?: ReadonlyMap<string, number>
  /** The first changes of a dry run. */
  changes?: Changes
  /** Guesses for columns that the user did not name. */
  suggested?: Suggestion[]
  /** Columns that could tell the rows apart; known after a dry run, or with errors. */
  keys?: string[]
  /** The tool that seems to have exported the file, if the user named none. */
  looksLike?: { option: string; title: string }
}

export const emptyOutcome = { rows: 0, added: 0, changed: 0, unchanged: 0, archived: 0, notes: [], declined: false }

/** Imports a file in one transaction of studio_writer: stages, validates and writes all rows or none.
 * @throws what the file system and the database throw, and the signal's reason; then nothing is written */
export async function runImport(job: ImportJob): Promise<Outcome> {
  const progress = job.progress ?? noProgress
  try {
    if (job.kind === 'photos') {
      progress.stage('Reading')
      return await carryOut(photosImport(job.path, job.photosDir), job, progress)
    }
    const source = await openSource(job.path, job.kind, job)
    const { key, name } = job.kind
    const isForeign = job.mapping === undefined && source.header.own === undefined
    const seen = isForeign ? looksLike(name, source.names) : undefined
    const hint = seen && { looksLike: seen }
    const { places, suggested, errors, line } = source.header
    if (places.length === 0) {
      source.close()
      const problem = 'is missing; it identifies each row'
      const remedy = `the header begins, for example: ${key},…`
      const missing = { line, column: key, value: null, problem, remedy }
      const reported = source.header.elsewhere ? errors : [...errors, missing]
      return { ...emptyOutcome, ...hint, errors: await reportErrors(reported, job.reportFile) }
    }
    progress.stage('Reading', source.size)
    const { translate, unknown } = translator(job.categories ?? new Map())
    const reading = {
      ...job.formats,
      category: translate,
      makeLocations: job.makeLocations ?? false,
      idsFrom: job.idsFrom,
      key: job.key,
      ...(job.accepted && { accepted: job.accepted }),
    }
    const outcome = await carryOut(rowsImport(job.kind, source, reading), job, progress).finally(source.close)
    return { ...outcome, ...hint, suggested, unknownCategories: unknown }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { ...emptyOutcome, errors: await reportErrors([unreadable(error)], job.reportFile) }
  }
}

async function carryOut(plan: ImportPlan, job: ImportJob, progress: Progress): Promise<Outcome> {
  let undo: (() => Promise<void>) | undefined
  try {
    return await withStudioWriter(
      job.client ?? job.writerUrl,
      job.studioId,
      async (transaction) => {
        await plan.stage(transaction, progress, await openImport(transaction, plan.table))
        await transaction.query('savepoint untouched')
        const abandon = async (outcome: Outcome) => {
          await transaction.query('rollback to savepoint untouched')
          return outcome
        }
        const prepared = (await plan.prepare?.(transaction)) ?? []
        const checks = [...plan.resolving, ...plan.checking]
        progress.stage('Checking', checks.length)
        for (const [index, statement] of checks.entries()) {
          await transaction.query(statement)
          progress.at(index + 1)
        }
        const errors = await collectErrors(transaction, job.reportFile)
        const keys = errors.count > 0 || job.dryRun ? ((await plan.keys?.(transaction)) ?? []) : []
        if (errors.count > 0) return abandon({ ...emptyOutcome, notes: prepared, errors, keys })

        const changes = await countChanges(transaction)
        const notes = [...prepared, ...(await readNotes(transaction, plan.notes))]
        const gone = await missingRows(transaction, job, changes.rows)
        if (gone > 0 && !job.dryRun && !(await job.archiveMissing?.(gone))) {
          return abandon({ ...emptyOutcome, rows: changes.rows, errors: noFindings, notes, declined: true })
        }
        const rows = changes.added + changes.changed
        progress.stage(`Writing ${counted(rows)} ${plan.nouns[rows === 1 ? 0 : 1]}`)
        const shown = job.dryRun ? await plan.changes?.(transaction, job.shown) : undefined
        const archived = await write(transaction, plan, job, rows, gone)
        await job.beforeCommit?.(transaction, changes)
        if (job.dryRun) await transaction.query('rollback to savepoint untouched')
        else undo = await plan.accompany?.(transaction, progress, changes.rows)
        return {
          ...changes,
          archived,
          errors: noFindings,
          notes,
          declined: false,
          keys,
          ...(shown && { changes: shown }),
        }
      },
      job.signal,
    )
  } catch (error) {
    await undo?.()
    throw error
  }
}

type Counts = { rows: number; added: number; changed: number; unchanged: number }

async function countChanges(transaction: Transaction): Promise<Counts> {
  const [changes] = await transaction.query<Counts>(
    `select count(*)::integer as rows, count(*) filter (where r.change = 'new')::integer as added,
       count(*) filter (where r.change = 'changed')::integer as changed,
       count(*) filter (where r.change = 'same')::integer as unchanged
     from pg_temp.import_rows r`,
  )
  if (changes === undefined) throw new Error('the staging table cannot be counted')
  return changes
}

async function readNotes(transaction: Transaction, statements: readonly string[]): Promise<string[]> {
  const notes: string[] = []
  for (const statement of statements) {
    for (const { note } of await transaction.query<{ note: string }>(statement)) notes.push(note)
  }
  return notes
}

/** How many rows the file lacks. An empty file is probably a failed export, not an empty studio. */
async function missingRows(transaction: Transaction, job: ImportJob, rows: number): Promise<number> {
  if (job.archiveMissing === undefined || job.kind === 'photos') return 0
  if (rows === 0)
    throw new Error('the file has no rows, so --archive-missing would archive everything; nothing was done')
  const [missing] = await transaction.query<{ rows: number }>(countMissing(job.kind))
  return missing?.rows ?? 0
}

async function write(
  transaction: Transaction,
  plan: ImportPlan,
  job: ImportJob,
  rows: number,
  gone: number,
): Promise<number> {
  try {
    if (rows > 0) for (const statement of plan.writing) await transaction.query(statement)
    const [archived] =
      gone > 0 && job.kind !== 'photos' ? await transaction.query<{ rows: number }>(archiveMissing(job.kind)) : []
    // Checks deferred constraints now, in a dry run too.
    await transaction.query('set constraints all immediate')
    return archived?.rows ?? 0
  } catch (error) {
    throw refusedRows(error)
  }
}
