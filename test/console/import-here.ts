import { importFile } from '../../src/apps/importer/import-file.ts'
import type { ProcessJob } from '../../src/apps/importer/messages.ts'
import { ImportFailed } from '../../src/apps/importer/process.ts'
import { sqlState } from '../../src/database/errors.ts'

/** Runs in this process what the console runs in one of its own. */
export async function importHere(job: ProcessJob) {
  try {
    return await importFile(structuredClone(job))
  } catch (error) {
    throw new ImportFailed((error as Error).message, (error as Error).name, sqlState(error))
  }
}
