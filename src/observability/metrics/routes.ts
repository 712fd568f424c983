import { operations, prefix } from '../../api/operations.ts'

const operationOfPath = new Map(operations.map(({ id, path }) => [prefix + path, id]))

/**
 * What a route is called in the metrics: the operation's id, else the first part of its path (`healthz`, `photos`,
 * `console`), and `front` for `/`. There are as many names as there are rooms in the service, whatever clients ask for.
 *
 * @param route the template of a matched route, or `unmatched`
 */
export function nameOfRoute(route: string): string {
  if (route === '/') return 'front'
  return operationOfPath.get(route) ?? (/^\/?([a-z]+)/.exec(route)?.[1] || 'unmatched')
}
