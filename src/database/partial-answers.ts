import type { Logger } from '../observability/log.ts'

/** What an answer can lack: see the functions in sql/api_v1 that raise SI206. `item`: read in parts, and perhaps whole. */
export const parts = ['item', 'valuation', 'photos', 'assignments_count'] as const
export type Part = (typeof parts)[number]

/** How often each was missing since the start. */
export type PartialAnswers = Record<Part, number>

export const noPartialAnswers = (): PartialAnswers => ({ item: 0, valuation: 0, photos: 0, assignments_count: 0 })

/** What is used of a warning of PostgreSQL. */
export type Notice = { code?: string | undefined; column?: string | undefined; message?: string | undefined }

/** Counts and logs a warning which says that an answer was given without a part of it. Others are PostgreSQL's business. */
export function countPartialAnswer({ code, column, message }: Notice, counts: PartialAnswers, log: Logger): void {
  const part = parts.find((each) => each === column)
  if (code !== 'SI206' || part === undefined) return
  counts[part] += 1
  log.warn({ part, reason: message }, 'an answer lacks what could not be read')
}
