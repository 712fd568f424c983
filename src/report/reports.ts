import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { requireTurn, startTask } from '../task/child.ts'
import type { ChildMessage, ParentMessage } from './child.ts'
import type { Outcome, ReportOptions } from './make.ts'
import type { Heading } from './schedule.ts'

/** Milliseconds after which a report ends: it keeps a transaction open, and its reader may be slow. */
const timeoutMs = 10 * 60_000

type ReportRequest = Pick<ReportOptions, 'format' | 'studioId' | 'day'>

type ReportsOptions = Omit<ReportOptions, keyof ReportRequest>

/** Makes reports for HTTP: one at a time for a studio, and few at a time for all. */
export type Reports = {
  /** @throws Busy; what startReport throws */
  start(request: ReportRequest): Promise<StartedReport>
  /** Ends the reports that are being made. */
  close(): Promise<void>
}

export function createReports(
  options: ReportsOptions,
  start: (options: ReportOptions, timeoutMs: number) => Promise<StartedReport> = startReport,
): Reports {
  /** The content of each studio's report; null while it is not known yet. */
  const running = new Map<string, Readable | null>()
  return {
    async start(request) {
      const { studioId } = request
      requireTurn(running, studioId)
      running.set(studioId, null)
      try {
        const report = await start({ ...options, ...request }, timeoutMs)
        running.set(studioId, report.content)
        const free = () => {
          if (running.get(studioId) === report.content) running.delete(studioId)
        }
        // At its end its process has nothing more to do; one that is destroyed has no end.
        report.content.once('end', free).once('close', free)
        return report
      } catch (error) {
        running.delete(studioId)
        throw error
      }
    },
    async close() {
      for (const content of running.values()) content?.destroy()
    },
  }
}

/** How much memory JavaScript in the process may use before it is ended, in megabytes. */
const maxMemoryMb = 256

/** A report on its way: its bytes, which come as they are read. Destroying it ends the process. */
export type StartedReport = { heading: Heading; content: Readable; outcome: Promise<Outcome> }

/** In the folder of this file, with the same extension: TypeScript in a checkout, JavaScript in an installed package. */
const childFile = new URL(`child${extname(import.meta.url)}`, import.meta.url)

/** Makes a report in a process of its own, so that neither its CPU time nor a lack of memory affects the API. Resolves when
 * its content is known and its first byte is on its way. @throws when it cannot be made; later failures destroy the content */
export function startReport(
  options: ReportOptions,
  timeoutMs: number,
  memoryMb: number = maxMemoryMb,
): Promise<StartedReport> {
  const started = Promise.withResolvers<StartedReport>()
  const outcome = Promise.withResolvers<Outcome>()
  outcome.promise.catch(() => undefined)
  let waiting = false
  const fail = (error: Error) => {
    started.reject(error)
    outcome.reject(error)
    content.destroy(error)
  }
  const content = new Readable({
    read() {
      if (waiting) task.send('more')
      waiting = false
    },
    destroy(error, done) {
      clearTimeout(timer)
      fail(error ?? new Error('nobody reads the report any more'))
      void task.end().then(() => done(error))
    },
  })
  const timer = setTimeout(() => content.destroy(new Error(`no report within ${timeoutMs} ms`)), timeoutMs)
  const message = (received: ChildMessage) => {
    if ('begun' in received) started.resolve({ heading: received.begun, content, outcome: outcome.promise })
    else if ('chunk' in received) {
      waiting = true
      content.push(received.chunk)
    } else if ('done' in received) {
      outcome.resolve(received.done)
      // What is still to be read stays.
      void task.end()
      content.push(null)
    } else fail(Object.assign(new Error(received.failed), { name: received.name }))
  }
  const task = startTask<ParentMessage, ChildMessage>(childFile, { memoryMb }, { message, failed: fail })
  content.on('error', fail)
  task.send({ options })
  return started.promise
}
