import { type Html, html } from '../html.ts'
import { moment, wideTable } from './pages/layout.ts'
import type { ApiRequest } from './store.ts'

/** The classes of statuses, by their first digit, in the words of the page. */
const statusClasses = {
  '2xx': 'succeeded',
  '3xx': 'not changed',
  '4xx': 'refused',
  '5xx': 'failed',
} as const

type StatusClass = keyof typeof statusClasses

/** Which requests are shown; null is every one. */
type Filter = { status: StatusClass | null; operation: string | null }

/** The class of a status. */
function classOf(status: number): StatusClass {
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
function filtered(requests: readonly ApiRequest[], { status, operation }: Filter): readonly ApiRequest[] {
  return requests.filter(
    (request) =>
      (status === null || classOf(request.status) === status) && (operation === null || request.endpoint === operation),
  )
}

/** How many requests there are of each class. */
function countByClass(requests: readonly ApiRequest[]): Readonly<Record<StatusClass, number>> {
  const counts = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  for (const { status } of requests) counts[classOf(status)] += 1
  return counts
}

/** How many requests there are of each operation, by name. */
function countByOperation(requests: readonly ApiRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { endpoint } of requests) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1)
  return new Map([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const isStatusClass = (text: string): text is StatusClass => Object.hasOwn(statusClasses, text)

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

export type ActivityView = {
  /** Path of the token's page. */
  path: string
  /** The last requests, newest first: all that are kept. */
  requests: readonly ApiRequest[]
  filter: Filter
  errors: readonly string[]
}

/**
 * The activity of a token: its statuses as a chart, and the requests that a filter lets through.
 *
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and response time".
 */
export function activity(view: ActivityView): Html {
  const { requests, errors } = view
  return html`<h2 id="activity">Activity</h2>
${errors.map((error) => html`<p class="error" role="alert">${error}</p>\n`)}
${requests.length === 0 ? html`<p>No requests yet.</p>` : html`${chart(requests)}${filterForm(view)}${shown(view)}`}`
}

/** Fewer requests than this leave room at the left, so that a bar stays a bar. */
const leastColumns = 25

/**
 * A row for each class of statuses, and in it a bar for each request, the newest at the right. The words beside the rows say
 * how many there are, so that nothing depends on the picture or on its colours; the table has the rest.
 */
function chart(requests: readonly ApiRequest[]): Html {
  const counts = countByClass(requests)
  const oldestFirst = requests.toReversed()
  const columns = Math.max(oldestFirst.length, leastColumns)
  const row = (
    name: StatusClass,
  ) => html`<li class="status-${name}"><span>${name} ${statusClasses[name]}: ${counts[name]}</span>
<svg viewBox="0 0 ${columns} 1" preserveAspectRatio="none" aria-hidden="true">${oldestFirst.map(
    ({ status }, index) =>
      classOf(status) === name &&
      html`<rect x="${columns - oldestFirst.length + index + 0.1}" y="0" width="0.8" height="1"/>`,
  )}</svg></li>
`
  return html`<figure class="chart">
<figcaption class="soft">${requests.length === 1 ? 'The last request' : `The last ${requests.length} requests`} by status, the newest at the right.</figcaption>
<ul>
${(Object.keys(counts) as StatusClass[]).filter((name) => counts[name] > 0).map(row)}
</ul>
</figure>
`
}

function filterForm({ path, requests, filter }: ActivityView): Html {
  const counts = countByClass(requests)
  const operations = new Map(countByOperation(requests))
  // One that was chosen stays chosen when none of its requests are left.
  if (filter.operation !== null && !operations.has(filter.operation)) operations.set(filter.operation, 0)
  const option = (value: string, label: string, chosen: string | null) =>
    html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${label}</option>\n`
  return html`<form class="filters" method="get" action="${path}#activity">
<div class="field">
<label for="status">Status</label>
<select id="status" name="status">
${option('', 'Every status', filter.status)}
${(Object.keys(statusClasses) as StatusClass[]).map((name) =>
  option(name, `${name} ${statusClasses[name]} (${counts[name]})`, filter.status),
)}
</select>
</div>
<div class="field">
<label for="operation">Operation</label>
<select id="operation" name="operation">
${option('', 'Every operation', filter.operation)}
${[...operations].map(([name, count]) => option(name, `${name} (${count})`, filter.operation))}
</select>
</div>
<button>Filter</button>
</form>
`
}

function shown({ path, requests, filter }: ActivityView): Html {
  const rows = filtered(requests, filter)
  const chosen = [filter.status, filter.operation].filter((part) => part !== null)
  const all = requests.length === 1 ? 'the last request' : `the last ${requests.length} requests`
  const what =
    chosen.length === 0
      ? html`${all[0]?.toUpperCase()}${all.slice(1)}, newest first.`
      : html`${rows.length} of ${all}: ${chosen.join(', ')}. <a class="on-screen" href="${path}#activity">Show all</a>`
  return html`<p class="soft" role="status">${what}</p>
${rows.length > 0 && wideTable('activity', table(rows))}`
}

function table(requests: readonly ApiRequest[]): Html {
  return html`<table>
<thead><tr><th scope="col">Time</th><th scope="col">Operation</th><th scope="col">Status</th><th scope="col" class="number">Response time</th></tr></thead>
<tbody>
${requests.map(
  ({ at, endpoint, status, durationMs }) => html`<tr><td>${moment(at, 'seconds')}</td>
<td><code>${endpoint}</code></td><td class="status-${classOf(status)}">${status}</td><td class="number">${durationMs.toFixed(1)} ms</td></tr>\n`,
)}
</tbody>
</table>`
}
