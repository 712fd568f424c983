import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { requireTurn, startChild } from '../child-process/start-child.ts'
import type { ChildMessage, ParentMessage } from './child.ts'
import type { Heading, ScheduleRequest } from './heading.ts'
import type { Outcome, ReportOptions } from './make.ts'

/** How long a report may take, in milliseconds: a slow reader would keep its transaction open. */
const timeoutMs = 10 * 60_000

type ReportsOptions = Omit<ReportOptions, keyof ScheduleRequest>

/** Makes reports for HTTP: one at a time for a studio, and a few in all. */
export type Reports = {
  /** @throws Busy; what startReport throws */
  start(request: ScheduleRequest): Promise<StartedReport>
  /** Ends the reports that are being made. */
  close(): Promise<void>
}

export function createReports(
  options: ReportsOptions,
  start: (options: ReportOptions, timeoutMs: number) => Promise<StartedReport> = startReport,
): Reports {
  /** The content of each studio's report; null until it is known. */
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
        // Once the content ends, the process has nothing to do. A stream that is destroyed does not
        // end.
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

/** How much memory the process's JavaScript may use, in megabytes. */
const maxMemoryMb = 256

/** A report in progress: its bytes come as they are read. Destroying it ends the process. */
export type StartedReport = { heading: Heading; content: Readable; outcome: Promise<Outcome> }

/** TypeScript in a checkout, JavaScript in an installed package. */
const childFile = new URL(`child${extname(import.meta.url)}`, import.meta.url)

/** Makes a report in its own process, so that its CPU time and memory do not affect the API.
 * Resolves when the content is known and the first byte is coming.
 * @throws when it cannot be made; later failures destroy the content */
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
      if (waiting) child.send('more')
      waiting = false
    },
    destroy(error, done) {
      clearTimeout(timer)
      fail(error ?? new Error('the reader of the report has left'))
      void child.end().then(() => done(error))
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
      // The stream keeps bytes until somebody reads them.
      void child.end()
      content.push(null)
    } else fail(Object.assign(new Error(received.failed), { name: received.name }))
  }
  const child = startChild<ParentMessage, ChildMessage>(childFile, { memoryMb }, { message, failed: fail })
  content.on('error', fail)
  child.send({ options })
  return started.promise
}
