import type { Config } from '../../config/config.ts'
import type { Pool } from '../../database/pool.ts'
import { type DemoAccess, demoAccess } from './token.ts'

export type GreetingOptions = {
  config: Pick<Config, 'dataDir' | 'publicUrl' | 'console'>
  /** The administrator's connection string. */
  adminUrl: string
  /** A pool of studio_api. */
  api: Pool
  /** The port of GraphQL, where it is on. */
  graphqlPort?: number | undefined
}

/** The lines that let somebody try the API by copying and pasting; null when the demo studio does not exist. */
export async function demoGreeting({ config, adminUrl, api, graphqlPort }: GreetingOptions): Promise<string | null> {
  const access = await demoAccess(config.dataDir, adminUrl, api)
  const { enabled, issuer } = config.console
  return access && greeting(access, config.publicUrl, { signIn: enabled && issuer === undefined, graphqlPort })
}

/** What else is there beside the API. */
export type Beside = { signIn?: boolean; graphqlPort?: number | undefined }

/** The token, and one curl line for each endpoint. */
export function greeting(
  { studio, token, itemId, policyId }: DemoAccess,
  publicUrl: string,
  { signIn = true, graphqlPort }: Beside = {},
): string {
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
    ...(graphqlPort === undefined ? [] : graphqlLines(studio, `http://localhost:${graphqlPort}`)),
  ].join('\n')
}

/** How to ask in GraphQL: the identity it takes lives for minutes, so the line makes one. */
function graphqlLines(studio: string, url: string): string[] {
  const token = `$(npx studio-inventory analyst token --studio '${studio}')`
  const query = '{ items { aggregates { sum { currentEstimatedValue } } } }'
  return [
    `GraphQL at ${url}/graphql, a page to write queries in at ${url}/`,
    `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}' '${url}/graphql'`,
    '',
  ]
}
