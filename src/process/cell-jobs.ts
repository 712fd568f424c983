import { endOverdue } from '../apps/analysts/watch.ts'
import { startHeartbeat } from './heartbeat.ts'
import { inTime } from './in-time.ts'
import type { CellParts, OpenCell } from './open-cell.ts'
import { purgeRemovals } from './removals.ts'
import { purgeUploads } from './uploads.ts'
import { startValuationRefresh } from './valuation.ts'
import { watchAnalysts } from './watchdog.ts'

type Started = Pick<OpenCell, 'name' | 'config' | 'database' | 'recording' | 'log'>

/** Starts what runs in a database from the moment at which it is opened: the watchdog, the heartbeat, and the end of old
 * removals and uploads. */
export async function startCellJobs(
  { name, config, database, recording, log }: Started,
  { resources, observability }: CellParts,
): Promise<void> {
  const stopWatching = watchAnalysts(() => endOverdue(recording), log)
  resources.defer(() => inTime(stopWatching()))
  const heartbeat = await startHeartbeat(recording, log)
  resources.defer(() => inTime(heartbeat.stop()))
  observability.watchWatermark(heartbeat.watermarkAge, name)
  const stopPurging = purgeRemovals(database.urlFor('studio_writer'), config.removalsDays, log)
  resources.defer(() => inTime(stopPurging()))
  const stopDeleting = purgeUploads(recording, log)
  resources.defer(() => inTime(stopDeleting()))
}

/** Starts the refresh of values, which may take longer and has to wait for the demo. */
export function startRefresh({ name, database, log }: Started, { resources, observability }: CellParts): void {
  const refresh = startValuationRefresh(database.urlFor('studio_writer'), log)
  resources.defer(() => inTime(refresh.stop()))
  observability.watchValuationRefresh(refresh.failures, name)
}
