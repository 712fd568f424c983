import { sqlState } from '../database/errors.ts'
import { messageOf } from '../domain/text.ts'
import { endWithParent, sendToParent } from '../task/parent.ts'
import { importFile } from './import-file.ts'
import type { ChildMessage, ProcessJob } from './process.ts'

process.on('message', (job: ProcessJob) => void run(job))
endWithParent()

async function run(job: ProcessJob): Promise<void> {
  try {
    sendToParent<ChildMessage>({ done: await importFile(job) })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    sendToParent<ChildMessage>({ failed: messageOf(error), name, state: sqlState(error) })
  }
}
