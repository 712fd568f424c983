import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/roles.ts'
import { type LoginRole, ownerUrl, roleUrl } from '../database/roles.ts'
import type { Logger } from '../log.ts'

/** The roles that connect through a pooler in transaction mode, where there is one. The others use sessions. */
const pooledRoles: readonly LoginRole[] = ['studio_api', 'studio_recorder', 'studio_console']

/**
 * Opens the database at DATABASE_URL (nothing connects yet), else the embedded server; `isService` refuses a second one.
 * @throws with one sentence for the operator when the embedded server cannot be used
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'poolerUrl' | 'secretKey' | 'dataDir'>,
  log: Logger,
  isService = false,
): Promise<Database> {
  const { adminUrl, secretKey, close } = await administrator(config, log, isService)
  return {
    adminUrl,
    secretKey,
    embedded: config.databaseUrl === undefined,
    urlFor(role) {
      if (role === 'studio_owner') return ownerUrl(adminUrl)
      const isPooled = pooledRoles.includes(role)
      return roleUrl((isPooled && config.poolerUrl) || adminUrl, role, secretKey)
    },
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
  // Loaded only here: with DATABASE_URL the embedded server need not be installed.
  const [{ openEmbedded }, { keepSecret }] = await Promise.all([
    import('../embedded/server.ts'),
    import('../embedded/secret.ts'),
  ])
  const { url, close } = await openEmbedded(dataDir, log, { isService })
  return { adminUrl: url, secretKey: secretKey ?? (await keepSecret(join(dataDir, 'secret-key'))), close }
}
