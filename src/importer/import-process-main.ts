import { endWithParent, sendToParent } from '../child-process/end-with-parent.ts'
import { sqlState } from '../database/errors.ts'
import { messageOf } from '../domain/text.ts'
import type { ChildMessage, ProcessJob } from './import-process.ts'
import { importUpload } from './import-upload.ts'

process.on('message', (job: ProcessJob) => void run(job))
endWithParent()

async function run(job: ProcessJob): Promise<void> {
  try {
    sendToParent<ChildMessage>({ done: await importUpload(job) })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const code = error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : name
    sendToParent<ChildMessage>({ failed: messageOf(error), name: code, state: sqlState(error) })
  }
}
