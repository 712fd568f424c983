import { join, resolve } from 'node:path'
import { operations } from '../api/operations.ts'
import type { Config } from '../config/config.ts'
import { quoted } from '../domain/text.ts'
import { demoStudios } from './studios.ts'
import type { DemoAccess } from './token.ts'

/** These parameters keep the answers short. */
const queries: Readonly<Record<string, string>> = {
  list_items: '?per_page=2',
  list_valuations: '?per_page=2',
  get_valuation_summary: '?by=coverage_state',
  list_maintenance: '?status=scheduled&per_page=2',
  list_policy_items: '?per_page=2',
  list_removals: '?per_page=2',
}

/** The token, and one curl line for each endpoint. */
export function greeting({ studio, token, itemId, policyId }: DemoAccess, publicUrl: string, signIn = true): string {
  const paths = operations.map(({ id, path }) => {
    return path.replace('{id}', path.startsWith('/items') ? itemId : policyId) + (queries[id] ?? '')
  })
  return [
    '',
    `Studio Inventory API at ${publicUrl}/v1, with the demo data of ${studio}.`,
    '',
    `Token: ${token}`,
    ...(signIn ? [`To manage tokens, sign in as a demo user: ${publicUrl}/console`] : []),
    `How to use the API: ${publicUrl}/docs`,
    '',
    'One request for each endpoint:',
    ...paths.map((path) => `curl -H 'Authorization: Bearer ${token}' '${publicUrl}/v1${path}'`),
    '',
  ].join('\n')
}

/** Greets a person at a terminal: where to go, one request, and where the token is. */
export function shortGreeting(
  { studio, token }: DemoAccess,
  { publicUrl, dataDir }: Pick<Config, 'publicUrl' | 'dataDir'>,
  { signIn, graphql }: { signIn: boolean; graphql: string | undefined },
): string {
  const links = [
    ...(signIn ? [['Console', `${publicUrl}/console`, 'sign in as a person of the demo, without a password']] : []),
    ['Reference', `${publicUrl}/docs`, 'every endpoint, with a form to try it'],
    ...(graphql === undefined ? [] : [['GraphQL', graphql, 'sums and groups, for analysts']]),
  ]
  const width = Math.max(...links.map(([, url = '']) => url.length))
  return [
    '',
    `Studio Inventory is ready, with the demo data of ${studio}.`,
    '',
    ...links.map(([name = '', url = '', about]) => `  ${name.padEnd(9)}  ${url.padEnd(width)}  ${about}`),
    '',
    'The first five items:',
    `curl -H 'Authorization: Bearer ${token}' '${publicUrl}/v1/items?per_page=5'`,
    '',
    `The token is also in ${join(dataDir, 'demo.json')}. Ctrl-C stops the service.`,
    '',
  ].join('\n')
}

/** Shows how to ask in GraphQL. An identity lives for minutes, so the line makes one. */
export function graphqlGreeting(config: Pick<Config, 'dataDir' | 'secretKey'>, port: number): string {
  const url = `http://localhost:${port}`
  const token = `$(${commandLine(config)} analyst token --studio ${quoted(demoStudios[0].name)})`
  const query = '{ items { aggregates { sum { currentEstimatedValue } } } }'
  return [
    `GraphQL at ${url}/graphql, a query page at ${url}/`,
    `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify({ query })}' '${url}/graphql'`,
    '',
  ].join('\n')
}

/** The start of a command on the same data. The shell has to set a given SECRET_KEY. */
function commandLine({ dataDir, secretKey }: Pick<Config, 'dataDir' | 'secretKey'>): string {
  const secret = secretKey === undefined ? [] : ['SECRET_KEY="$SECRET_KEY"']
  const launch = resolve(import.meta.dirname, '../../src/cli/launch.js')
  return ['env -i', ...secret, `DATA_DIR=${quoted(dataDir)}`, quoted(process.execPath), quoted(launch)].join(' ')
}
