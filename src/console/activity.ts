import { problemDefinitions } from '../http/problems.ts'
import { type Content, type Html, html } from '../web/html.ts'
import { labelled, moment, stackedTable } from './pages/layout.ts'
import type { ApiRequest } from './store-tokens.ts'

/** The classes of statuses by first digit, with the page's words for them. */
const statusClasses = {
  '2xx': 'succeeded',
  '3xx': 'not changed',
  '4xx': 'refused',
  '5xx': 'failed',
} as const

type StatusClass = keyof typeof statusClasses

const isStatusClass = (text: string | null): text is StatusClass => text !== null && Object.hasOwn(statusClasses, text)

function classOf(status: number): StatusClass {
  const name = `${Math.floor(status / 100)}xx`
  return isStatusClass(name) ? name : '5xx'
}

export type ActivityView = {
  path: string
  /** The stored requests, newest first. */
  requests: readonly ApiRequest[]
  /** The class to show, as in the address. Anything else shows all. */
  status: string | null
  /** The request to show, as in the address. */
  request?: string | null
}

/** The activity of a token: a chart of statuses, and the requests.
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
 * response time". */
export function activity({ path, requests, status, request }: ActivityView): Html {
  if (requests.length === 0) return html`<h2 id="activity">Activity</h2>\n<p>No requests yet.</p>`
  const found = requests.filter(({ id }) => id !== null && id === request)
  if (found.length > 0) {
    return html`<h2 id="activity">Activity</h2>
<p class="soft" role="status">Showing one request. <a class="on-screen" href="${path}#activity">Show all</a></p>
${table(found)}`
  }
  const chosen = isStatusClass(status) ? status : null
  const rows = chosen === null ? requests : requests.filter((request) => classOf(request.status) === chosen)
  const all = requests.length === 1 ? 'the last request' : `the last ${requests.length} requests`
  return html`<h2 id="activity">Activity</h2>
${chart(path, requests)}
<p class="soft" role="status">${
    chosen === null
      ? `Showing ${all}, newest first.`
      : html`Showing ${rows.length} of ${all}: ${chosen}. <a class="on-screen" href="${path}#activity">Show all</a>`
  }</p>
${rows.length > 0 && table(rows)}`
}

/** The chart has at least this many columns, so that a bar stays a bar. Fewer requests leave room at
 * the left. */
const leastColumns = 25

/** A row for each class of statuses, with a bar for each request. Labels give the numbers, so
 * that nothing depends on the picture or its colours. */
function chart(path: string, requests: readonly ApiRequest[]): Html {
  const classes = requests.map(({ status }) => classOf(status)).toReversed()
  const columns = Math.max(classes.length, leastColumns)
  const row = (name: StatusClass) => {
    const count = classes.filter((each) => each === name).length
    return html`<li class="status-${name}"><a href="${path}?status=${name}#activity">${name} ${statusClasses[name]}: ${count}</a>
<svg viewBox="0 0 ${columns} 1" preserveAspectRatio="none" aria-hidden="true">${classes.map(
      (each, index) =>
        each === name && html`<rect x="${columns - classes.length + index + 0.1}" y="0" width="0.8" height="1"/>`,
    )}</svg></li>
`
  }
  return html`<figure class="chart">
<figcaption class="soft">By status, with the newest on the right. Choose a status to see only its requests.</figcaption>
<ul>
${(Object.keys(statusClasses) as StatusClass[]).filter((name) => classes.includes(name)).map(row)}
</ul>
</figure>`
}

const columns = [
  { label: 'Time and request id' },
  { label: 'Operation' },
  { label: 'Status' },
  { label: 'Response time', number: true },
  { label: 'Size', number: true },
  { label: 'Client' },
]

const table = (requests: readonly ApiRequest[]): Html =>
  stackedTable(
    'activity',
    columns,
    requests.map((request) => ({ cells: cellsOf(request) })),
  )

function cellsOf({ at, endpoint, status, durationMs, id, details }: ApiRequest): Content[] {
  const { query = '', ignored = [], address, agent, bytes, cached } = details ?? {}
  return [
    html`${moment(at, 'seconds')}${id && html`<br><code class="soft">${id}</code>`}`,
    html`<code>${endpoint}</code>${query !== '' && html`<br><span class="soft typed">${query.replaceAll('&', ' ')}</span>`}${
      ignored.length > 0 && html`<br><strong class="typed">Ignored: ${ignored.join(', ')}</strong>`
    }`,
    html`<span class="status-${classOf(status)}">${status}${status >= 400 && ` ${reasonOf(status)}`}</span>`,
    `${durationMs.toFixed(1)} ms`,
    bytes !== undefined && `${bytes.toLocaleString('en')} B${cached ? ', cached' : ''}`,
    address && html`${address}${agent && html`<br><span class="soft typed">${agent}</span>`}`,
  ]
}

/** Why a request failed, in a word: the problem's code. The owner sees a 401 only of another address. */
function reasonOf(status: number): string {
  if (status === 401) return 'refused: other address'
  return Object.entries(problemDefinitions).find(([, problem]) => problem.status === status)?.[0] ?? 'failed'
}

/** Finds a request of any token by its id.
 * @param path of the list of tokens */
export function requestSearch(path: string): Html {
  const field = html`<input id="request" name="request" required autocomplete="off" spellcheck="false" aria-describedby="request-hint">`
  const hint = html`An error has it as <code>request_id</code>, and every response in the header <code>X-Request-Id</code>. The service keeps the last 100 requests of each token.`
  return html`<form class="panel" method="get" action="${path}">
${labelled('request', 'Find a request by its id', field, hint)}
<button>Find</button>
</form>`
}
