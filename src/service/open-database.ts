import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/roles.ts'
import { type LoginRole, roleUrl } from '../database/roles.ts'
import type { Logger } from '../log.ts'

/** The roles that may connect through a pooler in transaction mode. The others need sessions. */
const pooledRoles: readonly LoginRole[] = ['studio_api', 'studio_recorder', 'studio_console']

/** Opens the database at DATABASE_URL, without connecting yet, or else the embedded server;
 * `isService` refuses a second one.
 * @throws with a sentence for the operator when the embedded server cannot run */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'poolerUrl' | 'secretKey' | 'otherSecretKeys' | 'dataDir'>,
  log: Logger,
  isService = false,
): Promise<Database> {
  const { adminUrl, secretKey, close } = await administrator(config, log, isService)
  const secretKeys = [secretKey, ...config.otherSecretKeys] as const
  return {
    adminUrl,
    secretKey,
    secretKeys,
    embedded: config.databaseUrl === undefined,
    urlFor: (role, at = (pooledRoles.includes(role) && config.poolerUrl) || adminUrl) =>
      secretKeys.map((key) => roleUrl(at, role, key)),
    close,
  }
}

async function administrator(
  { databaseUrl, secretKey, dataDir }: Pick<Config, 'databaseUrl' | 'secretKey' | 'dataDir'>,
  log: Logger,
  isService: boolean,
): Promise<Pick<Database, 'adminUrl' | 'secretKey' | 'close'>> {
  if (databaseUrl !== undefined) {
    if (secretKey === undefined) throw new Error('SECRET_KEY is needed with DATABASE_URL')
    return { adminUrl: databaseUrl, secretKey, close: async () => undefined }
  }
  // Loaded only here, because an installation with DATABASE_URL may lack the embedded server.
  const [{ openEmbedded }, { keepSecret }] = await Promise.all([
    import('../embedded/server.ts'),
    import('../embedded/cluster.ts'),
  ])
  const { url, close } = await openEmbedded(dataDir, log, { isService })
  return { adminUrl: url, secretKey: secretKey ?? (await keepSecret(join(dataDir, 'secret-key'))), close }
}
