import { join } from 'node:path'
import { exportStudio } from '../../src/exporter/run.ts'
import { withStudioReader } from '../../src/report/snapshot.ts'
import type { Importer } from '../importer/support.ts'
import type { Studio } from '../sql/support.ts'

/** Exports a studio, each time into a folder of its own. */
export function exporterOf(importer: Importer) {
  let exports = 0
  return async (studio: Studio) => {
    exports += 1
    const folder = join(importer.folder, `export-${exports}`)
    const exported = await withStudioReader(importer.database.adminUrl, studio.id, async (transaction) => {
      await transaction.query('set local role studio_owner')
      return exportStudio(transaction, studio.id, folder, importer.photosDir)
    })
    return { folder, exported, photos: join(folder, 'photos') }
  }
}
