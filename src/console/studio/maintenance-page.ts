import { type Html, html } from '../../web/html.ts'
import { type Page, pathOf, stackedTable } from '../pages/layout.ts'
import type { Studio } from '../store.ts'
import { type MaintenanceList, type MaintenanceRecord, maintenanceLists } from './maintenance-reading.ts'
import { addressOf, type Paged, pager } from './paging.ts'
import { day, money, words } from './words.ts'

type MaintenanceView = {
  base: string
  studio: Studio
  list: MaintenanceList
  records: readonly MaintenanceRecord[]
  total: number
  paged: Paged
  today: string
}

/** Planned and completed maintenance of all items. */
export function maintenancePage({ base, studio, list, records, total, paged, today }: MaintenanceView): Page {
  const path = pathOf(base, studio)
  return {
    title: 'Maintenance',
    studio,
    tab: 'maintenance',
    content: html`<h1 id="maintenance">Maintenance</h1>
${listLinks(`${path}/maintenance`, 'Maintenance', list, maintenanceLists)}
${records.length === 0 ? html`<p>Nothing is ${maintenanceLists[list].label.toLowerCase()}.</p>` : maintenanceTable('maintenance', path, studio, records, today, true)}
${pager(paged, total, (page) => addressOf(`${path}/maintenance`, { show: list, page: page > 1 ? page : '' }))}`,
  }
}

/** Links to the lists of a page. The page shows the first one by default. */
export function listLinks(
  path: string,
  label: string,
  chosen: string,
  lists: Readonly<Record<string, { label: string }>>,
): Html {
  return html`<nav class="lists" aria-label="${label}"><ul>${Object.entries(lists).map(
    ([name, { label }], at) =>
      html`<li><a href="${at === 0 ? path : addressOf(path, { show: name })}"${name === chosen && html` aria-current="page"`}>${label}</a></li>\n`,
  )}</ul></nav>`
}

/** @param labelledBy the id of its heading
 * @param withItems whether to name the item of each record */
export function maintenanceTable(
  labelledBy: string,
  path: string,
  { currency }: Studio,
  records: readonly MaintenanceRecord[],
  today: string,
  withItems: boolean,
): Html {
  const columns = [
    { label: 'Task' },
    { label: 'Date' },
    ...(withItems ? [{ label: 'Item' }] : []),
    { label: 'Status' },
    { label: 'Vendor' },
    { label: 'Cost', number: true },
  ]
  const rows = records.map((record) => {
    const { item_id, item_name, title, maintenance_type, cost, vendor, description } = record
    const date = record.completed_date ?? record.scheduled_date
    const cells = [
      html`<strong class="typed">${title}</strong>${maintenance_type !== null && html`<br><span class="soft">${words(maintenance_type)}</span>`}${description !== null && html`<br><span class="soft typed">${description}</span>`}`,
      html`<span class="day">${date === null ? 'No date' : day(date)}</span>`,
      ...(withItems ? [html`<a class="typed" href="${path}/items/${item_id}">${item_name ?? 'Unnamed item'}</a>`] : []),
      status(record, today),
      vendor && html`<span class="typed">${vendor}</span>`,
      cost !== null && money(String(cost), currency),
    ]
    return { cells }
  })
  return stackedTable(labelledBy, columns, rows)
}

function status({ status, scheduled_date: scheduled }: MaintenanceRecord, today: string): Html {
  if (status === 'completed') return html`<span class="badge good">Completed</span>`
  return scheduled !== null && scheduled < today
    ? html`<span class="badge bad">Overdue</span>`
    : html`<span class="badge">Planned</span>`
}
