import { Writable } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../domain/error.ts'
import { makeReport, type Outcome, type ReportOptions } from './make.ts'
import type { Heading } from './schedule.ts'

/** What the thread sends. After a chunk it waits until it is asked for more. */
export type WorkerMessage =
  | { begun: Heading; items: number }
  | { chunk: Uint8Array }
  | { done: Outcome }
  | { failed: string; name: string }

const post = (message: WorkerMessage) => parentPort?.postMessage(message)

let more: (() => void) | undefined
parentPort?.on('message', () => more?.())

const send = (chunk: Uint8Array, taken: () => void) => {
  more = taken
  // A copy: the memory of a small buffer is shared with others.
  post({ chunk: Uint8Array.from(chunk) })
}
const sink = new Writable({
  highWaterMark: 2 ** 18,
  write: (chunk, _encoding, taken) => send(chunk, taken),
  writev: (chunks, taken) => send(Buffer.concat(chunks.map(({ chunk }) => chunk)), taken),
})

try {
  const progress = { begin: (begun: Heading, items: number) => post({ begun, items }), at: () => undefined }
  post({ done: await makeReport(workerData as ReportOptions, sink, progress) })
} catch (error) {
  post({ failed: messageOf(error), name: error instanceof Error ? error.name : '' })
}
parentPort?.close()
