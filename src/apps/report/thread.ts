import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { Outcome, ReportOptions } from './make.ts'
import type { Heading } from './schedule.ts'
import type { WorkerMessage } from './worker.ts'

/** How much memory JavaScript in the thread may use before it is ended, in megabytes. */
const maxMemoryMb = 256

/** A report on its way: its bytes, which come as they are read. Destroying it ends the thread. */
export type StartedReport = { heading: Heading; content: Readable; outcome: Promise<Outcome> }

/** Beside this file, with the same extension: TypeScript in a checkout, JavaScript in an installed package. */
const workerFile = new URL(`worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Makes a report in a thread of its own, so that neither its CPU time nor a lack of memory affects the API. Resolves when its content is
 * known and its first byte is on its way.
 *
 * @throws when it cannot be made; later failures destroy the content
 */
export function startReport(options: ReportOptions, timeoutMs: number): Promise<StartedReport> {
  const worker = new Worker(workerFile, {
    workerData: options,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  })
  let [waiting, finished] = [false, false]
  const content = new Readable({
    read() {
      if (waiting) worker.postMessage('more')
      waiting = false
    },
    destroy(error, done) {
      clearTimeout(timer)
      void worker.terminate().finally(() => done(error))
    },
  })
  const timer = setTimeout(() => content.destroy(new Error(`no report within ${timeoutMs} ms`)), timeoutMs)
  const outcome = Promise.withResolvers<Outcome>()
  const started = Promise.withResolvers<StartedReport>()
  outcome.promise.catch(() => undefined)
  const fail = (error: Error) => {
    started.reject(error)
    outcome.reject(error)
    content.destroy(error)
  }
  content.on('error', fail)
  worker.on('error', fail)
  worker.on('exit', () => {
    // What is still to be read stays.
    if (!finished) fail(new Error('the thread of the report ended'))
  })
  worker.on('message', (message: WorkerMessage) => {
    if ('begun' in message) started.resolve({ heading: message.begun, content, outcome: outcome.promise })
    else if ('chunk' in message) {
      waiting = true
      content.push(message.chunk)
    } else if ('done' in message) {
      finished = true
      outcome.resolve(message.done)
      content.push(null)
    } else fail(Object.assign(new Error(message.failed), { name: message.name }))
  })
  return started.promise
}
