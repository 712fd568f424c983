import { z } from 'zod'
import { ConfigError } from './error.ts'
import { postgresUrl, trueOrFalse } from './values.ts'

/** How the service grows: a connection pooler in between, replicas that are read from. */
export type ScalingConfig = {
  /** False behind a pooler that does not support named prepared statements. */
  preparedStatements: boolean
  /** Connection strings whose host, port, database and TLS are taken. */
  replicaUrls: string[]
}

export const scalingVariables = {
  PREPARED_STATEMENTS: trueOrFalse(true),
  REPLICA_DATABASE_URLS: z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.array(postgresUrl()))
    .default([]),
}

type Values = z.infer<z.ZodObject<typeof scalingVariables>>

export function readScaling(data: Values): ScalingConfig {
  return { preparedStatements: data.PREPARED_STATEMENTS, replicaUrls: data.REPLICA_DATABASE_URLS }
}

/** The rules of scaling that need more than one variable. */
export function requireForScaling(data: Values & { DATABASE_URL?: string | undefined }): void {
  if (data.REPLICA_DATABASE_URLS.length > 0 && data.DATABASE_URL === undefined) {
    throw new ConfigError('REPLICA_DATABASE_URLS: set without DATABASE_URL; a replica needs a primary that is yours')
  }
}
