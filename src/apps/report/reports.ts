import type { Readable } from 'node:stream'
import type { ReportOptions } from './make.ts'
import { type StartedReport, startReport } from './process.ts'

/** How many reports a process makes at once: each has a process and a connection of its own. */
export const maxConcurrency = 2

/** Milliseconds after which a report ends: it keeps a transaction open, and its reader may be slow. */
const timeoutMs = 10 * 60_000

/** A report is not made because too many are: `studio` is one of the same studio. */
export class Busy extends Error {
  override name = 'Busy'
  readonly reason: 'studio' | 'all'

  constructor(reason: 'studio' | 'all') {
    super('too many reports are being made')
    this.reason = reason
  }
}

export type ReportRequest = Pick<ReportOptions, 'format' | 'studioId' | 'day'>

/** How studios are read. */
export type ReportsOptions = Omit<ReportOptions, keyof ReportRequest>

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
      if (running.has(studioId)) throw new Busy('studio')
      if (running.size >= maxConcurrency) throw new Busy('all')
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
