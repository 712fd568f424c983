import type { Config } from '../config.ts'
import type { Pool } from '../database/pools.ts'
import { type DemoAccess, demoAccess } from './token.ts'

export type GreetingOptions = {
  config: Pick<Config, 'dataDir' | 'publicUrl'>
  /** The administrator's connection string. */
  adminUrl: string
  /** A pool of studio_api. */
  api: Pool
}

/** The lines that let somebody try the API by copying and pasting; null when the demo studio does not exist. */
export async function demoGreeting({ config, adminUrl, api }: GreetingOptions): Promise<string | null> {
  const access = await demoAccess(config.dataDir, adminUrl, api)
  return access && greeting(access, config.publicUrl)
}

/** The token, and one curl line for each endpoint. */
export function greeting({ studio, token, itemId, policyId }: DemoAccess, publicUrl: string): string {
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
    '',
    'One line for each endpoint:',
    ...paths.map((path) => `curl -H 'Authorization: Bearer ${token}' '${publicUrl}/v1${path}'`),
    '',
  ].join('\n')
}
