import { z } from 'zod'
import { ConfigError } from './error.ts'
import { postgresUrl, trueOrFalse, wholeNumber } from './values.ts'

/** How the service grows: more processes on this machine, a connection pooler in between, replicas that are read from. */
export type ScalingConfig = {
  /** Processes that answer; 1 is the process itself, without a supervisor. */
  workers: number
  /** False behind a pooler that does not support named prepared statements. */
  preparedStatements: boolean
  /** Connection strings whose host, port, database and TLS are taken. */
  replicaUrls: string[]
}

const advice =
  'give PostgreSQL URLs with a database name, separated by commas, for example postgresql://replica1/studio'

/** A comma after which a URL begins; those between the hosts of one are not. */
const betweenUrls = /,(?=\s*postgres(?:ql)?:\/\/)/i

/** Whether no comma follows the hosts, as one does before what is not a URL: only the parameters of hosts and ports may have some. */
const isWithoutComma = (url: string) =>
  !/^\s*\w+:\/\/[^/]*\/.*,/s.test(url.replace(/(?<=[?&])(?:host|port)=[^&]*/g, ''))

export const scalingVariables = {
  WORKERS: wholeNumber(1, 128, 1),
  PREPARED_STATEMENTS: trueOrFalse(true),
  REPLICA_DATABASE_URLS: z
    .string()
    .transform((value) => value.split(betweenUrls))
    .refine((urls) => urls.every(isWithoutComma), advice)
    .pipe(z.array(postgresUrl('any')))
    .default([]),
}

type Values = z.infer<z.ZodObject<typeof scalingVariables>>

export function readScaling(data: Values): ScalingConfig {
  return {
    workers: data.WORKERS,
    preparedStatements: data.PREPARED_STATEMENTS,
    replicaUrls: data.REPLICA_DATABASE_URLS,
  }
}

/** The rules of scaling that need more than one variable. */
export function requireForScaling(
  data: Values & { DATABASE_URL?: string | undefined; REDIS_URL?: string | undefined; CELLS_FILE?: string | undefined },
): void {
  if (data.REPLICA_DATABASE_URLS.length > 0 && data.DATABASE_URL === undefined) {
    throw new ConfigError('REPLICA_DATABASE_URLS: set without DATABASE_URL; a replica needs a primary that is yours')
  }
  if (data.WORKERS === 1) return
  if (data.DATABASE_URL === undefined && data.CELLS_FILE === undefined) {
    throw new ConfigError(
      'WORKERS: more than 1 needs DATABASE_URL; the embedded server and its demo belong to one process',
    )
  }
  if (data.REDIS_URL === undefined) {
    throw new ConfigError(
      'WORKERS: more than 1 needs REDIS_URL; without a store for their counters each worker would grant the whole rate limit',
    )
  }
}
