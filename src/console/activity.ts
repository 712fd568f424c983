import { type Html, html } from '../web/html.ts'
import { moment, wideTable } from './pages/layout.ts'
import type { ApiRequest } from './store.ts'

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
}

/** The activity of a token: a chart of statuses, and the requests.
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
 * response time". */
export function activity({ path, requests, status }: ActivityView): Html {
  if (requests.length === 0) return html`<h2 id="activity">Activity</h2>\n<p>No requests yet.</p>`
  const chosen = isStatusClass(status) ? status : null
  const rows = chosen === null ? requests : requests.filter((request) => classOf(request.status) === chosen)
  const all = requests.length === 1 ? 'the last request' : `the last ${requests.length} requests`
  return html`<h2 id="activity">Activity</h2>
${chart(path, requests)}
<p class="soft" role="status">${
    chosen === null
      ? `Shown: ${all}, newest first.`
      : html`${rows.length} of ${all}: ${chosen}. <a class="on-screen" href="${path}#activity">Show all</a>`
  }</p>
${rows.length > 0 && wideTable('activity', table(rows))}`
}

/** Fewer requests leave room at the left, so that a bar stays a bar. */
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
<figcaption class="soft">By status, the newest at the right. Choose one to see its requests alone.</figcaption>
<ul>
${(Object.keys(statusClasses) as StatusClass[]).filter((name) => classes.includes(name)).map(row)}
</ul>
</figure>`
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
