import { chosenMapping, type ReadColumn, readColumns } from './columns.ts'
import type { Source } from './csv/source.ts'
import { unreadable } from './csv/work.ts'
import { MappingRefused } from './foreign/mapping.ts'
import { kinds } from './kinds/index.ts'
import { openSource } from './open-source.ts'
import type { ProcessJob, ProcessOutcome } from './process.ts'
import { reportErrors, UnreadableFile } from './row-errors.ts'
import { nothing, runImport } from './run.ts'

/** What the first row that has something in a column has there. */
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

/** Finds out how to read a file's columns and imports it, or only says what it would do. */
export async function importFile({ kindName, choice, confirmed, ...job }: ProcessJob): Promise<ProcessOutcome> {
  const kind = kinds.find(({ name }) => name === kindName)
  if (kind === undefined) throw new Error('there is no such kind of file')
  let columns: ReadColumn[] = []
  try {
    const source = await openSource(job.path, kind, { mapping: { columns: {}, ignored: [] } })
    const samples = await samplesOf(source)
    const { mapping, recognised, suggested } = chosenMapping(kind, source.names, choice)
    columns = readColumns(kind, source.names, mapping).map((column, at) => ({
      ...column,
      ...(suggested.includes(column.theirs) && { suggested: true }),
      ...(samples[at] && { sample: samples[at] }),
    }))
    // What is only suggested is shown, and imported when somebody has agreed to it.
    const agreed = suggested.length > 0 ? undefined : confirmed
    const outcome = await runImport({
      ...job,
      kind,
      mapping,
      dryRun: agreed === undefined,
      ...(agreed && {
        beforeCommit: async (transaction, { rows, added, changed }) => {
          const summary = { ...agreed.summary, kind: kindName, rows, added, changed }
          await transaction.query(`select access.record_import(decode($1, 'hex'), decode($2, 'hex'), $3)`, [
            agreed.session,
            agreed.digest,
            JSON.stringify(summary),
          ])
        },
      }),
    })
    return { ...outcome, columns, ...(recognised !== undefined && { recognised }) }
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
    return { ...nothing, errors: await reportErrors([found]), columns }
  }
}
