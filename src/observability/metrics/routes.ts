import { operations, prefix } from '../../api/operations.ts'

const operationOfPath = new Map(operations.map(({ id, path }) => [prefix + path, id]))

/** The names of what can fail: operations, and what else is served from the database or from files. */
export const servedNames: readonly string[] = [
  ...operations.map(({ id }) => id),
  ...['console', 'docs', 'front', 'graphql', 'mcp', 'openapi', 'photos', 'readyz', 'unmatched'],
]

/**
 * The name of a route in the metrics: the operation's id, else the first part of its path (`healthz`, `photos`,
 * `console`), and `front` for `/`. The set of names is fixed, whatever clients request.
 *
 * @param route the template of a matched route, or `unmatched`
 */
export function nameOfRoute(route: string): string {
  if (route === '/') return 'front'
  return operationOfPath.get(route) ?? (/^\/?([a-z]+)/.exec(route)?.[1] || 'unmatched')
}
