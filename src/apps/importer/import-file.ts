import { chosenMapping, type ReadColumn, readColumns } from './columns.ts'
import { unreadable } from './csv/work.ts'
import { MappingRefused } from './foreign/mapping.ts'
import { kinds } from './kinds/index.ts'
import { openSource } from './open-source.ts'
import type { ProcessJob, ProcessOutcome } from './process.ts'
import { noFindings, UnreadableFile } from './row-errors.ts'
import { type Outcome, runImport } from './run.ts'

/** Finds out how the columns of a file are to be read, and imports it; not confirmed, it says what it would do. */
export async function importFile({ kindName, choice, confirmed, ...job }: ProcessJob): Promise<ProcessOutcome> {
  const kind = kinds.find(({ name }) => name === kindName)
  if (kind === undefined) throw new Error('there is no such kind of file')
  let columns: ReadColumn[] = []
  try {
    const source = await openSource(job.path, kind, { mapping: { columns: {}, ignored: [] } })
    source.close()
    const { mapping, recognised } = chosenMapping(kind, source.names, choice)
    columns = readColumns(kind, source.names, mapping)
    const outcome = await runImport({
      ...job,
      kind,
      mapping,
      dryRun: confirmed === undefined,
      ...(confirmed && {
        beforeCommit: async (transaction, { rows, added, changed }) => {
          const summary = { ...confirmed.summary, kind: kindName, rows, added, changed }
          await transaction.query(`select access.record_import(decode($1, 'hex'), decode($2, 'hex'), $3)`, [
            confirmed.session,
            confirmed.digest,
            JSON.stringify(summary),
          ])
        },
      }),
    })
    return { ...outcome, columns, ...(recognised !== undefined && { recognised }) }
  } catch (error) {
    if (error instanceof UnreadableFile) return { ...refused(unreadable(error)), columns }
    if (error instanceof MappingRefused) {
      return {
        ...refused({ line: null, column: null, value: null, problem: error.message, remedy: error.hint }),
        columns,
      }
    }
    throw error
  }
}

function refused({ line, ...error }: ReturnType<typeof unreadable>): Outcome {
  const cause = { ...error, count: 1, lines: line === null ? [] : [line], more: 0 }
  const errors = { ...noFindings, count: 1, lines: 1, different: 1, causes: [cause] }
  return { rows: 0, added: 0, changed: 0, unchanged: 0, archived: 0, notes: [], declined: false, errors }
}
