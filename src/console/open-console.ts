import type { Limiter } from '../auth/limiter.ts'
import type { Config } from '../config/config.ts'
import { poolFor } from '../database/pool.ts'
import type { Database } from '../database/roles.ts'
import type { Logger } from '../log.ts'
import { openPhotos } from '../photos/open-photos.ts'
import type { GraphqlAddress } from '../web/links.ts'
import type { Analysts } from './analysts.ts'
import type { SignIns } from './context.ts'
import type { DemoPerson } from './identity/provider.ts'

/** The connections of the console's two pools: few, because people seldom press buttons. */
export const connectionsOfConsole = 4

/** Opens the console with its pool, if people can sign in: at providers, or in the demo.
 * Undefined, and not loaded, when they cannot or when it is off. */
export async function openConsole(
  config: Config,
  database: Database,
  limiter: Limiter,
  demoPeople: () => Promise<DemoPerson[]>,
  graphql: GraphqlAddress | undefined,
  analysts: Analysts | undefined,
  log: Logger,
) {
  const { enabled, issuers } = config.console
  if (!enabled || (issuers.length === 0 && !database.embedded)) return undefined
  const [{ createConsole }, { signInMethod }, { createReports }, { createImports }] = await Promise.all([
    import('./console.ts'),
    import('./identity/provider.ts'),
    import('../report/reports.ts'),
    import('./import/imports.ts'),
  ])
  const pool = poolFor('studio_console', connectionsOfConsole / 2, config, database, log)
  const reader = poolFor('studio_api', connectionsOfConsole / 2, config, database, log)
  const method = await signInMethod(issuers, demoPeople, log)
  const signIns: SignIns = { signed_in: 0, refused: 0, unavailable: 0 }
  const { secretKeys } = database
  const { photosS3, publicUrl, photosDir } = config
  // The API's login, on the reports' own connections.
  const databaseUrl = database.urlFor('studio_api')
  const reports = createReports({ databaseUrl, secretKeys, photos: { photosS3, publicUrl, photosDir } })
  const importing = config.console.importing ?? database.embedded
  const writing = { writerUrl: database.urlFor('studio_writer'), photosDir, photos: photosS3 === undefined }
  const imports = importing ? createImports(writing) : undefined
  const photos = await openPhotos(config, secretKeys, log)
  const services = { reader, photos, limiter, log, signIns, reports, imports, graphql, analysts }
  const router = await createConsole({ config, secretKeys, pool, method, ...services })
  return {
    router,
    /** The pool of studio_console. */
    pool,
    /** The pool of studio_api by which members look at their studio. */
    reader,
    signIns,
    async close(): Promise<void> {
      await Promise.all([reports.close(), imports?.close(), pool.close(), reader.close()])
    },
  }
}
