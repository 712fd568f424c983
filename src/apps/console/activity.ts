import type { ApiRequest } from './store.ts'

/** The classes of statuses, by their first digit, in the words of the page. */
export const statusClasses = {
  '2xx': 'succeeded',
  '3xx': 'not changed',
  '4xx': 'refused',
  '5xx': 'failed',
} as const

export type StatusClass = keyof typeof statusClasses

/** Which requests are shown; null is every one. */
export type Filter = { status: StatusClass | null; operation: string | null }

/** The class of a status. */
export function classOf(status: number): StatusClass {
  const name = `${Math.floor(status / 100)}xx`
  return isStatusClass(name) ? name : '5xx'
}

/** A method and a route: what a request is recorded as. */
const operationForm = /^[A-Z]{1,16} \/[!-~]{0,200}$/

/**
 * Reads a filter from the parameters of a page, `status` and `operation`; empty ones count as not given.
 *
 * @returns the filter, and what a person reads about a parameter that cannot be used, which then does not filter
 */
export function readFilter(parameters: URLSearchParams): { filter: Filter; errors: readonly string[] } {
  const errors: string[] = []
  const [status = '', ...moreStatuses] = parameters.getAll('status')
  const [operation = '', ...moreOperations] = parameters.getAll('operation')
  if (moreStatuses.length > 0) errors.push('Give one status only.')
  else if (status !== '' && !isStatusClass(status)) {
    errors.push(
      `“${short(status)}” is no class of statuses. Choose ${Object.keys(statusClasses).join(', ')} or every status.`,
    )
  }
  if (moreOperations.length > 0) errors.push('Give one operation only.')
  else if (operation !== '' && !operationForm.test(operation)) {
    errors.push(`“${short(operation)}” is no operation. Choose one of the list, for example GET /v1/items.`)
  }
  const filter = {
    status: moreStatuses.length === 0 && isStatusClass(status) ? status : null,
    operation: moreOperations.length === 0 && operationForm.test(operation) ? operation : null,
  }
  return { filter, errors }
}

/** The requests that a filter lets through, in their order. */
export function filtered(requests: readonly ApiRequest[], { status, operation }: Filter): readonly ApiRequest[] {
  return requests.filter(
    (request) =>
      (status === null || classOf(request.status) === status) && (operation === null || request.endpoint === operation),
  )
}

/** How many requests there are of each class. */
export function countByClass(requests: readonly ApiRequest[]): Readonly<Record<StatusClass, number>> {
  const counts = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  for (const { status } of requests) counts[classOf(status)] += 1
  return counts
}

/** How many requests there are of each operation, by name. */
export function countByOperation(requests: readonly ApiRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { endpoint } of requests) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1)
  return new Map([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const isStatusClass = (text: string): text is StatusClass => Object.hasOwn(statusClasses, text)

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
