import type { Writable } from 'node:stream'
import type { Config } from '../config/config.ts'
import type { LoginUrl } from '../database/roles.ts'
import type { SecretKeys } from '../domain/keys.ts'
import { openPhotos } from '../photos/open-photos.ts'
import type { Heading, ScheduleRequest } from './heading.ts'
import { illustrate, type PhotoCounts } from './photos.ts'
import { type Schedule, withSchedule } from './schedule.ts'
import type { Totals } from './totals.ts'

/** The input of a report: plain data, for another process. */
export type ReportOptions = ScheduleRequest & {
  databaseUrl: LoginUrl
  photos: Pick<Config, 'photosS3' | 'publicUrl' | 'photosDir'>
  secretKeys: SecretKeys
}

/** The contents of a report, and the photos that it could not show. */
export type Outcome = {
  heading: Heading
  totals: Totals
  photos: PhotoCounts
  /** Items and lines of tables with characters that the PDF's font lacks; the PDF shows boxes. */
  unprintable: number
  /** Items and lines of tables whose text is too long for the PDF and ends in an ellipsis. */
  shortened: number
}

/** The progress of a report. `begin` comes after the query and before the first byte. */
type ReportProgress = {
  begin(heading: Heading, items: number): void
  at(items: number): void
}

/** Makes a report and ends the sink. Reads items in batches, and loads only the code of the
 * format.
 * @throws what the database or the sink throws, after destroying the sink */
export function makeReport(options: ReportOptions, sink: Writable, progress: ReportProgress): Promise<Outcome> {
  const { databaseUrl: url, photos: place, secretKeys, ...request } = options
  return withSchedule({ ...request, url }, async (read) => {
    const { heading, totals } = read
    progress.begin(heading, totals.all.items)
    const schedule = { ...read, batches: counting(read.batches, progress) }
    const photos: PhotoCounts = { shown: 0, missing: 0, unreadable: 0, too_large: 0, omitted: 0 }
    const written = await write({ place, secretKeys, format: request.format }, schedule, photos, sink)
    return { heading, totals, photos, ...written }
  })
}

async function write(
  { place, secretKeys, format }: Pick<ReportOptions, 'format' | 'secretKeys'> & { place: ReportOptions['photos'] },
  schedule: Schedule,
  counts: PhotoCounts,
  sink: Writable,
): Promise<Pick<Outcome, 'unprintable' | 'shortened'>> {
  const nothing = { unprintable: 0, shortened: 0 }
  if (format === 'csv') {
    await (await import('./csv.ts')).writeCsv(schedule, sink)
    return nothing
  }
  const { createThumbnails } = await import('./thumbnails.ts').catch((cause: unknown) => {
    throw new Error('photos cannot be read: sharp is not installed for this machine (npm ci --include=optional)', {
      cause,
    })
  })
  const thumbnails = createThumbnails(await openPhotos(place, secretKeys))
  const illustrated = { ...schedule, batches: illustrate(schedule.batches, thumbnails, counts) }
  if (format === 'pdf') return (await import('./pdf/pdf.ts')).writePdf(illustrated, sink)
  const { omitted } = await (await import('./xlsx.ts')).writeXlsx(illustrated, sink)
  counts.omitted = omitted
  counts.shown -= omitted
  return nothing
}

async function* counting<Element>(batches: AsyncIterable<Element[]>, progress: ReportProgress) {
  let items = 0
  for await (const batch of batches) {
    yield batch
    items += batch.length
    progress.at(items)
  }
}
