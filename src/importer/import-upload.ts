import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { chosenMapping, type ReadColumn, readColumns } from './columns.ts'
import { unreadable } from './csv/import-rows.ts'
import type { Source } from './csv/source.ts'
import { MappingRefused } from './foreign/mapping.ts'
import type { ImportJob } from './import-job.ts'
import type { ProcessJob, ProcessOutcome } from './import-process.ts'
import { kinds } from './kinds/index.ts'
import { openSource } from './open-source.ts'
import { unpackPhotos } from './photos/archive.ts'
import { noFindings, reportErrors, type Sheets, UnreadableFile } from './row-errors.ts'
import { emptyOutcome, runImport } from './run-import.ts'
import { withStudioWriter } from './staging.ts'

/** The first value of each column. */
async function samplesOf({ batches, names, close }: Source): Promise<string[]> {
  try {
    for await (const { records } of batches) {
      return names.map((_, at) => (records.find(({ cells }) => cells[at]?.trim())?.cells[at] ?? '').trim().slice(0, 60))
    }
    return []
  } finally {
    close()
  }
}

/** A digest of a header. The database keeps under it how the studio reads files with that header. */
const headerDigest = (names: readonly string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(names.map((name) => name.trim().toLowerCase())))
    .digest()

/** The choices with which the studio last imported a file of this header. */
async function recall({ writerUrl, studioId }: Running, kind: string, header: Buffer): Promise<unknown> {
  return withStudioWriter(writerUrl, studioId, async (transaction) => {
    const [row] = await transaction.query<{ choices: unknown }>('select access.remembered_choices($1, $2) as choices', [
      kind,
      header,
    ])
    return row?.choices ?? undefined
  })
}

/** Runs an import, or only says what it would do. */
export async function importUpload(given: ProcessJob): Promise<ProcessOutcome> {
  const { kindName, choice, confirmed, recalls, ...job } = given
  if (kindName === 'photos') return importPhotos(job, howTo(kindName, confirmed))
  const kind = kinds.find(({ name }) => name === kindName)
  if (kind === undefined) throw new Error('there is no such kind of file')
  let columns: ReadColumn[] = []
  let sheets: Sheets | undefined
  try {
    const source = await openSource(job.path, kind, { ...job, key: undefined, mapping: { columns: {}, ignored: [] } })
    sheets = source.sheets
    const header = headerDigest(source.names)
    const recalled = recalls && confirmed === undefined ? await recall(job, kindName, header) : undefined
    if (recalled) {
      source.close()
      return { ...emptyOutcome, errors: noFindings, columns: [], recalled }
    }
    const samples = await samplesOf(source)
    const { mapping, recognised, suggested } = chosenMapping(kind, source.names, choice)
    columns = readColumns(kind, source.names, mapping).map((column, at) => ({
      ...column,
      ...(suggested.includes(column.theirs) && { suggested: true }),
      ...(samples[at] && { sample: samples[at] }),
    }))
    // A file with guessed columns is only shown until somebody has agreed to them.
    const agreed = suggested.length > 0 ? undefined : confirmed
    const outcome = await runImport({ ...job, kind, mapping, ...howTo(kindName, agreed, header) })
    return { ...outcome, columns, ...(recognised !== undefined && { recognised }), ...(sheets && { sheets }) }
  } catch (error) {
    const found =
      error instanceof UnreadableFile
        ? unreadable(error)
        : error instanceof MappingRefused && {
            line: null,
            column: null,
            value: null,
            problem: error.message,
            remedy: error.hint,
          }
    if (!found) throw error
    if (error instanceof UnreadableFile) sheets ??= error.sheets
    return { ...emptyOutcome, errors: await reportErrors([found]), columns, ...(sheets && { sheets }) }
  }
}

type Running = Omit<ProcessJob, 'kindName' | 'choice' | 'confirmed' | 'recalls'>

/** Imports the photos of a ZIP archive. */
async function importPhotos(job: Running, how: ReturnType<typeof howTo>): Promise<ProcessOutcome> {
  const folder = `${job.path}-unpacked`
  try {
    const wrong = await unpackPhotos(job.path, folder)
    if (wrong.length > 0) return { ...emptyOutcome, errors: await reportErrors(wrong), columns: [] }
    return { ...(await runImport({ ...job, ...how, kind: 'photos', path: folder })), columns: [] }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Without a confirmation, the import is a dry run. With one, it writes its entry in the audit log in the same
 * transaction. */
function howTo(kindName: ProcessJob['kindName'], confirmed: ProcessJob['confirmed'], header?: Buffer) {
  if (confirmed === undefined) return { dryRun: true }
  const beforeCommit: NonNullable<ImportJob['beforeCommit']> = async (transaction, { rows, added, changed }) => {
    const summary = { ...confirmed.summary, kind: kindName, rows, added, changed }
    await transaction.query(`select access.record_import(decode($1, 'hex'), decode($2, 'hex'), $3, $4)`, [
      confirmed.session,
      confirmed.digest,
      JSON.stringify(summary),
      header ?? null,
    ])
  }
  return { dryRun: false, beforeCommit }
}
