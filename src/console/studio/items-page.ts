import { categories, coverageStates } from '../../domain/vocabulary.ts'
import { type Html, html } from '../../web/html.ts'
import { labelled, type Page, pathOf, select } from '../pages/layout.ts'
import type { Studio } from '../store.ts'
import { type Choices, type ListedItem, type Location, lacks, orders } from './items-reading.ts'
import { addressOf, type Paged, pager } from './paging.ts'
import { counted, coverageBadge, coverageLabel, money } from './words.ts'

type ItemsView = {
  base: string
  studio: Studio
  choices: Choices
  locations: readonly Location[]
  items: readonly ListedItem[]
  total: number
  paged: Paged
}

/** A studio's items, found and ordered as chosen. */
export function itemsPage(view: ItemsView): Page {
  const { base, studio, choices, items, total, paged } = view
  const path = `${pathOf(base, studio)}/items`
  const shown = { ...choices, order: choices.order === 'name' ? '' : choices.order }
  return {
    title: 'Items',
    studio,
    tab: 'items',
    content: html`<h1 id="items">Items</h1>
${search(view, path)}
<div class="above"><p role="status">${counted(total, 'item')}${choices.q !== '' && html` for “${choices.q}”`}</p>
${total > 0 && html`<p class="on-screen"><a href="${addressOf(`${path}.csv`, shown)}">Download as CSV</a></p>`}</div>
${items.length > 0 ? table(path, studio, items) : none(view, path)}
${pager(paged, total, (page) => addressOf(path, { ...shown, page: page > 1 ? page : '' }))}`,
  }
}

function none({ total, choices, studio, base }: ItemsView, path: string): Html {
  if (total > 0) return html`<p>There is nothing on this page. <a href="${path}">Go to the first page</a></p>`
  const { order: _, ...filters } = choices
  if (Object.values(filters).some((value) => value !== '')) {
    return html`<p>No item matches. <a href="${path}">Show all items</a></p>`
  }
  return html`<p>${studio.name} has no items yet.${studio.mayManage && html` <a href="${pathOf(base, studio)}/import">Import a file</a>`}</p>`
}

function search({ choices, locations }: ItemsView, path: string): Html {
  const any = (label: string) => ['', label] as const
  const field = (name: keyof Choices, label: string, options: readonly (readonly [string, string])[]) =>
    labelled(name, label, select(name, choices[name], options))
  const choosable = [...locations]
  if (choices.location !== '' && !choosable.some(({ id }) => id === choices.location)) {
    choosable.push({ id: choices.location, name: 'Unknown location', depth: 0 })
  }
  return html`<form class="search" method="get" action="${path}" role="search">
${labelled('q', 'Search', html`<input id="q" name="q" type="search" value="${choices.q}" autocomplete="off" aria-describedby="q-hint">`, 'Name, manufacturer, model, serial number, barcode or tag')}
${field('category', 'Category', [any('All categories'), ...categories.map((name) => [name, name] as const)])}
${field('coverage', 'Coverage', [any('Any'), ...coverageStates.map((state) => [state, coverageLabel(state)] as const)])}
${field('location', 'Location', [any('All locations'), ...choosable.map(({ id, name, depth }) => [id, `${'\u00a0\u00a0'.repeat(depth)}${name}`] as const)])}
${field('without', 'Missing', [any('No filter'), ...Object.entries(lacks).map(([name, { label }]) => [name, label] as const)])}
${field(
  'order',
  'Order',
  Object.entries(orders).map(([name, { label }]) => [name, label] as const),
)}
<p class="go"><button class="primary">Search</button> <a href="${path}">Clear</a></p>
</form>`
}

/** @param path of the list */
function table(path: string, { currency }: Studio, items: readonly ListedItem[]): Html {
  return html`<table class="list" aria-labelledby="items"><thead><tr><td class="picture"></td><th scope="col">Name</th><th scope="col" class="wide-only">Category</th><th scope="col" class="wide-only">Location</th><th scope="col" class="number">Value</th><th scope="col" class="wide-only">Coverage</th></tr></thead>
<tbody>
${items.map((item) => {
  const { name, manufacturer, model, category, location, value, coverage } = item
  const made = [manufacturer, model].filter((text) => text !== '' && !name.includes(text)).join(' ')
  return html`<tr><td class="picture">${picture(path.replace(/items$/, 'photos'), item)}</td>
<td><a class="typed" href="${path}/${item.id}">${name}</a>${made !== '' && html`<span class="soft typed">${made}</span>`}<span class="soft typed narrow-only">${[category, location].filter(Boolean).join(' · ')}</span></td>
<td class="wide-only">${category}</td><td class="typed wide-only">${location ?? '–'}</td>
<td class="number">${value === null ? '–' : money(value, currency)}<span class="narrow-only">${coverageBadge(coverage)}</span></td><td class="wide-only">${coverageBadge(coverage)}</td></tr>\n`
})}</tbody></table>`
}

/** An item's first photo, or the initial of its name. @param path of the photos */
function picture(path: string, { photo, name }: Pick<ListedItem, 'photo' | 'name'>): Html {
  return photo === null
    ? html`<span class="no-photo" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`
    : html`<img src="${path}/${photo}/small" alt="" width="48" height="48" loading="lazy">`
}
