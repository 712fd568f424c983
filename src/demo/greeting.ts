import type { Config } from '../config.ts'
import type { Pool } from '../database/pools.ts'
import { type DemoAccess, demoAccess } from './token.ts'

export type GreetingOptions = {
  config: Pick<Config, 'dataDir' | 'publicUrl' | 'console'>
  /** The administrator's connection string. */
  adminUrl: string
  /** A pool of studio_api. */
  api: Pool
}

/** The lines that let somebody try the API by copying and pasting; null when the demo studio does not exist. */
export async function demoGreeting({ config, adminUrl, api }: GreetingOptions): Promise<string | null> {
  const access = await demoAccess(config.dataDir, adminUrl, api)
  const { enabled, issuer } = config.console
  return access && greeting(access, config.publicUrl, enabled && issuer === undefined)
}

/** The token, and one curl line for each endpoint. */
export function greeting({ studio, token, itemId, policyId }: DemoAccess, publicUrl: string, signIn = true): string {
  const paths = [
    '/items?per_page=2',
    `/items/${itemId}`,
    `/items/${itemId}/policies`,
    '/locations',
    '/maintenance?status=scheduled&per_page=2',
    '/policies',
    `/policies/${policyId}`,
    '/account',
  ]
  return [
    '',
    `Studio Inventory API at ${publicUrl}/v1, with the demo data of ${studio}.`,
    '',
    `Token: ${token}`,
    ...(signIn ? [`To manage tokens, sign in as one of the demo people: ${publicUrl}/console`] : []),
    `How to use the API: ${publicUrl}/docs`,
    '',
    'One line for each endpoint:',
    ...paths.map((path) => `curl -H 'Authorization: Bearer ${token}' '${publicUrl}/v1${path}'`),
    '',
  ].join('\n')
}
