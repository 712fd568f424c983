import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { DemoAccess } from './token.ts'

/** Where to go, one request, and where the token is. */
export function greeting(
  { studio, token }: DemoAccess,
  { publicUrl, dataDir }: Pick<Config, 'publicUrl' | 'dataDir'>,
  { signIn, graphql }: { signIn: boolean; graphql?: string | undefined },
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
    `The token is also in ${join(dataDir, 'demo.json')}.`,
    '',
  ].join('\n')
}
