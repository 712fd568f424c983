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
  // Loaded only here, because an installation with DATABASE_URL may lack the embedded server.
  const [{ openEmbedded }, { keepSecret }] = await Promise.all([
    import('../embedded/server.ts'),
    import('../embedded/cluster.ts'),
  ])
  const { url, close } = await openEmbedded(dataDir, log, { isService })
  return { adminUrl: url, secretKey: secretKey ?? (await keepSecret(join(dataDir, 'secret-key'))), close }
}

/** The administrator's connection string, for a session that starts as studio_owner. */
export function ownerUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c role=studio_owner`.trim())
  // libpq does not read `+` as a space in a connection string.
  return url.href.replaceAll('+', '%20')
}
