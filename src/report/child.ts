import { Writable } from 'node:stream'
import { endWithParent, sendToParent } from '../child-process/end-with-parent.ts'
import { messageOf } from '../domain/text.ts'
import type { Heading } from './heading.ts'
import { makeReport, type Outcome, type ReportOptions } from './make.ts'

/** The parent sends what to make, then `more` when it has read a chunk. */
export type ParentMessage = { options: ReportOptions } | 'more'

/** After each chunk the child waits for `more`; after the last message it waits to be ended. */
export type ChildMessage =
  | { begun: Heading; items: number }
  | { chunk: Uint8Array }
  | { done: Outcome }
  | { failed: string; name: string }

const post = sendToParent<ChildMessage>

let more: (() => void) | undefined
process.on('message', (message: ParentMessage) => {
  if (message === 'more') more?.()
  else void make(message.options)
})
endWithParent()

const send = (chunk: Uint8Array, taken: () => void) => {
  more = taken
  post({ chunk })
}
const sink = new Writable({
  highWaterMark: 2 ** 18,
  write: (chunk, _encoding, taken) => send(chunk, taken),
  writev: (chunks, taken) => send(Buffer.concat(chunks.map(({ chunk }) => chunk)), taken),
})

async function make(options: ReportOptions): Promise<void> {
  try {
    const progress = { begin: (begun: Heading, items: number) => post({ begun, items }), at: () => undefined }
    post({ done: await makeReport(options, sink, progress) })
  } catch (error) {
    post({ failed: messageOf(error), name: error instanceof Error ? error.name : '' })
  }
}
